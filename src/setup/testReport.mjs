import { readFileSync } from 'node:fs';

/** What a JSON report of vitest says of each file; nothing where there is no report. */
export function readFiles(reportFile) {
  try {
    const { testResults } = JSON.parse(readFileSync(reportFile, 'utf8'));
    return testResults.map(({ name, status, assertionResults }) => {
      const count = (wanted) => assertionResults.filter((test) => test.status === wanted).length;
      const failed = count('failed');
      // A file whose set-up or clean-up broke has failed, whatever its tests say.
      return { path: name, passed: count('passed'), failed: status === 'failed' ? Math.max(1, failed) : failed };
    });
  } catch {
    return [];
  }
}
