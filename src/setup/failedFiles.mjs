/**
 * Prints the test files that failed in vitest's JSON reports, one per line: with `--again` those that may run a second
 * time, otherwise the others.
 */
import { mayRunAgain, readFiles } from './testReport.mjs';

const args = process.argv.slice(2);
const decides = args.includes('--again');
for (const file of args.filter((arg) => arg !== '--again').flatMap(readFiles)) {
  if (file.failed > 0 && mayRunAgain(file) === decides) console.log(file.path);
}
