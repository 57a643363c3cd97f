/**
 * Prints the last line of a CI run from vitest's JSON reports and sets the exit code; before it, the ten slowest files.
 *
 * Arguments: how many other steps failed; for each run, vitest's exit code and its report; and after `--again` the exit
 * code and the report of the second run, if there was one, of the files that may run again. A run that failed without a
 * failed test (a broken setup, an unhandled error, no test at all) counts as one failure.
 */
import { mayRunAgain, readFiles } from './testReport.mjs';

const SLOWEST = 10;

const [otherFailures, ...args] = process.argv.slice(2);
const mark = args.indexOf('--again');
const first = runsOf(mark < 0 ? args : args.slice(0, mark));
const second = runsOf(mark < 0 ? [] : args.slice(mark + 1));

const again = new Map(second.flatMap(({ files }) => files).map((file) => [file.path, file]));
const files = first
  .flatMap((run) => run.files)
  .map((file) => (mayRunAgain(file) ? (again.get(file.path) ?? file) : file));

const count = (list, name) => list.reduce((sum, file) => sum + file[name], 0);
const unexplained = [...first, ...second].filter((run) => run.exitCode !== '0' && count(run.files, 'failed') === 0);
const failed = count(files, 'failed') + Number(otherFailures) + unexplained.length;

console.log('slowest files:');
for (const { path, seconds } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)) {
  console.log(`${seconds.toFixed(1).padStart(8)} s  ${path}`);
}
process.exitCode = failed > 0 ? 1 : 0;
console.log(`${count(files, 'passed')} passed, ${failed} failed`);

/** Pairs each exit code with its report. */
function runsOf(list) {
  return Array.from({ length: list.length / 2 }, (_, n) => ({
    exitCode: list[2 * n],
    files: readFiles(list[2 * n + 1]),
  }));
}
