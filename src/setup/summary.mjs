/**
 * The last line of a CI run, and its exit code, from vitest's JSON reports.
 *
 * Arguments: how many other steps failed, vitest's own exit code, its report, and the report of the second run of those
 * files that had failed, where there was one: what that says of a file holds. A run that failed without a failed test (a
 * broken set-up, an unhandled error, no test at all) is one failure.
 */
import { readFiles } from './testReport.mjs';

const [otherFailures, testExitCode, ...reports] = process.argv.slice(2);

const files = new Map(reports.flatMap(readFiles).map((file) => [file.path, file]));
const count = (name) => [...files.values()].reduce((sum, file) => sum + file[name], 0);
const failedTests = count('failed');
const unexplained = testExitCode !== '0' && failedTests === 0 ? 1 : 0;
const failed = failedTests + Number(otherFailures) + unexplained;

process.exitCode = failed > 0 ? 1 : 0;
console.log(`${count('passed')} passed, ${failed} failed`);
