/** `npm run build`: builds the parts of dist/ that are stale. Arguments name parts. */
import { buildIfStale } from './buildSteps.mjs';

try {
  await buildIfStale(process.argv.slice(2));
} catch (error) {
  console.error(`dhara: ${error.message}`);
  process.exitCode = 1;
}
