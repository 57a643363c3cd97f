/**
 * The last line of a CI run, and its exit code, from vitest's JSON report.
 *
 * Arguments: the report, how many other steps failed, and vitest's own exit code. A run that failed
 * without a failed test (a broken set-up, an unhandled error, no test at all) is one failure.
 */
import { readFileSync } from 'node:fs';

const [reportFile, otherFailures, testExitCode] = process.argv.slice(2);

const { numPassedTests: passed, numFailedTests: failedTests } = readReport();
const unexplained = testExitCode !== '0' && failedTests === 0 ? 1 : 0;
const failed = failedTests + Number(otherFailures) + unexplained;

process.exitCode = failed > 0 ? 1 : 0;
console.log(`${passed} passed, ${failed} failed`);

function readReport() {
  try {
    return JSON.parse(readFileSync(reportFile, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0 };
  }
}
