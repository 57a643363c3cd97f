/**
 * Prints the last line of a CI run from vitest's JSON reports and sets the exit code; before it, the ten slowest files.
 *
 * Arguments: how many other steps failed; for each run, vitest's exit code and its report. A run that failed without a
 * failed test (a broken setup, an unhandled error, no test at all) counts as one failure.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

import { rootDir } from './paths.mjs';

const SLOWEST = 10;

const [otherFailures, ...args] = process.argv.slice(2);
const runs = Array.from({ length: args.length / 2 }, (_, n) => ({
  exitCode: args[2 * n],
  files: readFiles(args[2 * n + 1]),
}));
const files = runs.flatMap((run) => run.files);

const count = (list, name) => list.reduce((sum, file) => sum + file[name], 0);
const unexplained = runs.filter((run) => run.exitCode !== '0' && count(run.files, 'failed') === 0);
const failed = count(files, 'failed') + Number(otherFailures) + unexplained.length;

console.log('slowest files:');
for (const { path, seconds } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)) {
  console.log(`${seconds.toFixed(1).padStart(8)} s  ${path}`);
}
process.exitCode = failed > 0 ? 1 : 0;
console.log(`${count(files, 'passed')} passed, ${failed} failed`);

/** The results per file in vitest's JSON report; empty if there is no report. Paths are relative to the repository. */
function readFiles(reportFile) {
  let report;
  try {
    report = JSON.parse(readFileSync(reportFile, 'utf8'));
  } catch {
    return [];
  }
  return report.testResults.map(({ name, status, assertionResults, startTime, endTime }) => {
    const count = (wanted) => assertionResults.filter((test) => test.status === wanted).length;
    return {
      path: relative(rootDir, name),
      passed: count('passed'),
      // A file whose setup or teardown broke has failed, whatever its tests say.
      failed: status === 'failed' ? Math.max(1, count('failed')) : count('failed'),
      seconds: (endTime - startTime) / 1_000,
    };
  });
}
