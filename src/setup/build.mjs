/** `npm run build`: brings dist/ up to date with the sources. Does nothing where it is. Arguments name parts of it. */
import { buildIfStale } from './buildSteps.mjs';

try {
  await buildIfStale(process.argv.slice(2));
} catch (error) {
  console.error(`dhara: ${error.message}`);
  process.exitCode = 1;
}
