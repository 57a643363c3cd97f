import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

import { rootDir } from './paths.mjs';

/** The results per file in vitest's JSON report; empty if there is no report. Paths are relative to the repository. */
export function readFiles(reportFile) {
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
