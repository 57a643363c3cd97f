/** Prints the test files that failed in vitest's JSON reports, one per line. */
import { readFiles } from './testReport.mjs';

for (const file of process.argv.slice(2).flatMap(readFiles)) {
  if (file.failed > 0) console.log(file.path);
}
