import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const FOUND = 'AssertionError: expected 3 to be 2';
const LATE = 'Error: Test timed out in 30000ms.';

let dir: string;
let named: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dhara-report-'));
  const list = JSON.parse(await readFile(join(ROOT, 'test/mayRunAgain.json'), 'utf8')) as { files: { path: string }[] };
  named = list.files[0]!.path;
});
afterEach(() => rm(dir, { recursive: true }));

interface File {
  readonly path: string;
  readonly failures?: readonly string[];
  readonly passed?: number;
  readonly milliseconds?: number;
}

/** A report in the format of vitest. */
async function report(name: string, files: readonly File[]): Promise<string> {
  const path = join(dir, name);
  const testResults = files.map((file) => ({
    name: join(ROOT, file.path),
    status: file.failures?.length ? 'failed' : 'passed',
    message: '',
    startTime: 0,
    endTime: file.milliseconds ?? 1_000,
    assertionResults: [
      ...Array.from({ length: file.passed ?? 1 }, () => ({ status: 'passed', failureMessages: [] })),
      ...(file.failures ?? []).map((message) => ({ status: 'failed', failureMessages: [message] })),
    ],
  }));
  await writeFile(path, JSON.stringify({ testResults }));
  return path;
}

function run(script: string, ...args: string[]): Promise<{ exitCode: number; output: string }> {
  return new Promise((told) => {
    execFile(process.execPath, [join(ROOT, 'src/setup', script), ...args], (error, stdout) => {
      told({ exitCode: typeof error?.code === 'number' ? error.code : 0, output: stdout.trim() });
    });
  });
}

/** The last line of a CI run, and its exit code. */
async function verdict(...args: string[]): Promise<{ exitCode: number; output: string }> {
  const { exitCode, output } = await run('summary.mjs', ...args);
  return { exitCode, output: output.split('\n').at(-1)! };
}

describe('the verdict on a CI run', () => {
  it('counts a failed assertion even if the second run passed', async () => {
    const first = await report('first.json', [{ path: named, failures: [FOUND] }]);
    const second = await report('second.json', [{ path: named, passed: 2 }]);
    expect(await verdict('0', '1', first, '--again', '0', second)).toEqual({
      exitCode: 1,
      output: '1 passed, 1 failed',
    });
  });

  it('takes the second run of a listed file that only missed deadlines', async () => {
    const first = await report('first.json', [{ path: named, failures: [LATE] }, { path: 'test/other.test.ts' }]);
    const second = await report('second.json', [{ path: named, passed: 2 }]);
    expect(await verdict('0', '1', first, '--again', '0', second)).toEqual({
      exitCode: 0,
      output: '3 passed, 0 failed',
    });
  });

  it('counts a missed deadline of a file that is not listed', async () => {
    const first = await report('first.json', [{ path: 'test/other.test.ts', failures: [LATE] }]);
    const second = await report('second.json', [{ path: 'test/other.test.ts', passed: 2 }]);
    expect((await verdict('0', '1', first, '--again', '0', second)).output).toBe('1 passed, 1 failed');
  });

  it('counts a file that missed a deadline and failed an assertion', async () => {
    const first = await report('first.json', [{ path: named, failures: [LATE, FOUND] }]);
    const second = await report('second.json', [{ path: named, passed: 3 }]);
    expect((await verdict('0', '1', first, '--again', '0', second)).output).toBe('1 passed, 2 failed');
  });

  it('counts a second run that fails or has no report', async () => {
    const first = await report('first.json', [{ path: named, failures: [LATE] }]);
    const second = await report('second.json', [{ path: named, failures: [LATE] }]);
    expect((await verdict('0', '1', first, '--again', '1', second)).exitCode).toBe(1);
    expect((await verdict('0', '1', first, '--again', '1', join(dir, 'missing.json'))).exitCode).toBe(1);
  });

  it('counts a failed check, a missing report, and a run that failed without a failed test', async () => {
    const passed = await report('first.json', [{ path: named }]);
    expect((await verdict('1', '0', passed)).output).toBe('1 passed, 1 failed');
    expect((await verdict('0', '1', join(dir, 'missing.json'))).output).toBe('0 passed, 1 failed');
    expect((await verdict('0', '1', passed)).output).toBe('1 passed, 1 failed');
    expect((await verdict('0', '0', passed)).output).toBe('1 passed, 0 failed');
  });

  it('adds up several runs, and lists the slowest files', async () => {
    const usual = await report('usual.json', [{ path: 'test/quick.test.ts', milliseconds: 20 }]);
    const rest = await report('rest.json', [{ path: 'test/slow.test.ts', milliseconds: 61_500, failures: [FOUND] }]);
    const { exitCode, output } = await run('summary.mjs', '0', '0', usual, '1', rest);
    expect(exitCode).toBe(1);
    expect(output.split('\n').map((line) => line.trim())).toEqual([
      'slowest files:',
      '61.5 s  test/slow.test.ts',
      '0.0 s  test/quick.test.ts',
      '2 passed, 1 failed',
    ]);
    expect((await verdict('0', '0', usual, '1', join(dir, 'missing.json'))).output).toBe('1 passed, 1 failed');
    expect((await run('failedFiles.mjs', usual, rest)).output).toBe('test/slow.test.ts');
  });

  it('separates files that run again from other failed files', async () => {
    const first = await report('first.json', [
      { path: named, failures: [LATE] },
      { path: 'test/other.test.ts', failures: [FOUND] },
      { path: 'test/good.test.ts' },
    ]);
    expect((await run('failedFiles.mjs', first, '--again')).output).toBe(named);
    expect((await run('failedFiles.mjs', first)).output).toBe('test/other.test.ts');
  });

  it('lists only files that exist, with a reason each', async () => {
    const list = JSON.parse(await readFile(join(ROOT, 'test/mayRunAgain.json'), 'utf8')) as {
      files: { path: string; reason: string }[];
    };
    for (const { path, reason } of list.files) {
      expect(existsSync(join(ROOT, path)), path).toBe(true);
      expect(reason.length, path).toBeGreaterThan(20);
    }
  });
});
