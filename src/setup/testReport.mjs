import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { rootDir } from './paths.mjs';

/** Messages of an expired wait: vitest's own deadlines, the browser's, and those of the tests' helpers. */
const MISSED_DEADLINE = /\btimed out in \d+ ?ms\b|\bTimeout \d+ ?ms exceeded\b|\bwaited in vain\b/;

/** The results per file in vitest's JSON report; empty if there is no report. Paths are relative to the repository. */
export function readFiles(reportFile) {
  let report;
  try {
    report = JSON.parse(readFileSync(reportFile, 'utf8'));
  } catch {
    return [];
  }
  return report.testResults.map(({ name, status, message, assertionResults, startTime, endTime }) => {
    const failures = assertionResults.filter((test) => test.status === 'failed');
    // A file whose setup or teardown broke has failed, whatever its tests say.
    const messages = failures.length > 0 ? failures.map((test) => test.failureMessages.join('\n')) : [message ?? ''];
    return {
      path: relative(rootDir, name),
      passed: assertionResults.filter((test) => test.status === 'passed').length,
      failed: status === 'failed' ? Math.max(1, failures.length) : failures.length,
      seconds: (endTime - startTime) / 1_000,
      missedOnlyDeadlines: messages.every((text) => MISSED_DEADLINE.test(text)),
    };
  });
}

/** The files that may run once more, and why; see test/mayRunAgain.json. */
function namedFiles() {
  return new Set(
    JSON.parse(readFileSync(join(rootDir, 'test/mayRunAgain.json'), 'utf8')).files.map(({ path }) => path),
  );
}

/**
 * Whether a second run may decide: the file is named, and the only failure is a missed deadline. Anything else is a
 * finding, even if it does not happen again.
 */
export function mayRunAgain(file) {
  return file.failed > 0 && file.missedOnlyDeadlines && namedFiles().has(file.path);
}
