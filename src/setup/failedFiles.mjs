/**
 * Prints the test files that failed in JSON reports of vitest, one per line: with `--again` those whose second run
 * decides, without it the others.
 */
import { mayRunAgain, readFiles } from './testReport.mjs';

const args = process.argv.slice(2);
const decides = args.includes('--again');
for (const file of args.filter((arg) => arg !== '--again').flatMap(readFiles)) {
  if (file.failed > 0 && mayRunAgain(file) === decides) console.log(file.path);
}
