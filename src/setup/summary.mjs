/**
 * The last line of a CI run, and its exit code, from vitest's JSON reports.
 *
 * Arguments: how many other steps failed; vitest's exit code and its report; the exit code and the report of the second
 * run of those files whose second run decides, where there was one. A run that failed without a failed test (a broken
 * set-up, an unhandled error, no test at all) is one failure.
 */
import { mayRunAgain, readFiles } from './testReport.mjs';

const [otherFailures, firstExitCode, firstReport, secondExitCode, secondReport] = process.argv.slice(2);

const first = readFiles(firstReport);
const second = secondReport ? readFiles(secondReport) : [];
const again = new Map(second.map((file) => [file.path, file]));
const files = first.map((file) => (mayRunAgain(file) ? (again.get(file.path) ?? file) : file));

const count = (list, name) => list.reduce((sum, file) => sum + file[name], 0);
const unexplained = (exitCode, list) => (exitCode !== '0' && count(list, 'failed') === 0 ? 1 : 0);
const failed =
  count(files, 'failed') +
  Number(otherFailures) +
  unexplained(firstExitCode, first) +
  (secondReport ? unexplained(secondExitCode, second) : 0);

process.exitCode = failed > 0 ? 1 : 0;
console.log(`${count(files, 'passed')} passed, ${failed} failed`);
