/** `npm run build`: brings dist/ up to date with the sources. Does nothing where it is. */
import { buildIfStale } from './buildSteps.mjs';

try {
  await buildIfStale();
} catch (error) {
  console.error(`dhara: ${error.message}`);
  process.exitCode = 1;
}
