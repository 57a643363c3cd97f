/** Prints the test files that failed in a JSON report of vitest, one per line. */
import { readFiles } from './testReport.mjs';

for (const { path, failed } of readFiles(process.argv[2])) {
  if (failed > 0) console.log(path);
}
