/**
 * Prints the test files that failed in a JSON report of vitest, one per line: with `--again` those whose second run
 * decides, without it the others.
 */
import { mayRunAgain, readFiles } from './testReport.mjs';

const [reportFile, option] = process.argv.slice(2);
for (const file of readFiles(reportFile)) {
  if (file.failed > 0 && mayRunAgain(file) === (option === '--again')) console.log(file.path);
}
