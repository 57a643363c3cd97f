import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const FOUND = 'AssertionError: expected 3 to be 2';
const LATE = 'Error: Test timed out in 30000ms.';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dhara-report-'));
});
afterEach(() => rm(dir, { recursive: true }));

interface File {
  readonly path: string;
  readonly failures?: readonly string[];
  readonly passed?: number;
  /** Its setup or teardown failed. */
  readonly isBroken?: boolean;
  readonly milliseconds?: number;
}

/** A report in the format of vitest. */
async function report(name: string, files: readonly File[]): Promise<string> {
  const path = join(dir, name);
  const testResults = files.map((file) => ({
    name: join(ROOT, file.path),
    status: file.isBroken || file.failures?.length ? 'failed' : 'passed',
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
  it('counts every failed test, missed deadlines too', async () => {
    const usual = await report('usual.json', [
      { path: 'test/one.test.ts', failures: [LATE, FOUND] },
      { path: 'test/other.test.ts', failures: [LATE], passed: 2 },
    ]);
    expect(await verdict('0', '1', usual)).toEqual({ exitCode: 1, output: '3 passed, 3 failed' });
  });

  it('counts a file as failed whose setup broke, although no test of it failed', async () => {
    const usual = await report('usual.json', [{ path: 'test/one.test.ts', isBroken: true }]);
    expect(await verdict('0', '1', usual)).toEqual({ exitCode: 1, output: '1 passed, 1 failed' });
  });

  it('counts a failed check, a missing report, and a run that failed without a failed test', async () => {
    const passed = await report('first.json', [{ path: 'test/one.test.ts' }]);
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
  });
});
