import { mkdir, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { detectSandbox, findPrograms } from '../../../src/adapters/transcode/sandbox/detectSandbox.js';
import { runConfined } from '../../../src/adapters/transcode/sandbox/runConfined.js';
import { sandboxKind, type Sandbox } from '../../../src/adapters/transcode/sandbox/sandbox.js';
import { REFUSED_CALLS, syscallFilter, type Architecture } from '../../../src/adapters/transcode/sandbox/seccomp.js';
import { mediaFolder } from '../../support/media.js';

const PATH = process.env['PATH'] ?? '';
const { EPERM, ENOSYS, ENOTTY } = constants.errno;
const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const refused = (errno: number): number => 0x0005_0000 | errno;

const NEWUSER = 0x1000_0000;
const THREAD_FLAGS = 0x003d_0f00;
const TIOCSTI = 0x5412;
const TCGETS = 0x5401;

describe('a program in the real sandbox', () => {
  let sandbox: Sandbox;
  const column = process.arch === 'x64' ? 0 : 1;
  const [clone, ioctl, getpid] = process.arch === 'x64' ? [56, 16, 39] : [220, 29, 172];

  beforeAll(async () => {
    const asRoot = process.getuid?.() === 0;
    ({ sandbox } = await detectSandbox(await findPrograms(undefined, PATH), {
      searchPath: PATH,
      asRoot,
      useBwrap: true,
    }));
    expect(sandboxKind(sandbox)).toBe('bwrap');
  });

  test('cannot make any refused call', async () => {
    const numbers = Object.values(REFUSED_CALLS).flatMap((both) => both[column] ?? []);
    expect(numbers.length).toBeGreaterThan(60);
    expect(await answers(numbers.map((number) => [number]))).toEqual(numbers.map(() => EPERM));
  });

  test('cannot create a namespace with clone or type into a terminal, and finds no newer calls', async () => {
    const calls = [[clone, NEWUSER], [ioctl, 0, TIOCSTI], [435], [463], [500], [0x4000_0000 + getpid]];
    expect(await answers(calls)).toEqual([EPERM, EPERM, ENOSYS, ENOSYS, ENOSYS, ENOSYS]);
  });

  test('could make these calls without the filter', async () => {
    sandbox = { ...sandbox, syscallFilter: null };
    expect(sandboxKind(sandbox)).toBe('bwrap-without-filter');
    const [socket, connect] = [REFUSED_CALLS['socket']![column]!, REFUSED_CALLS['connect']![column]!];
    const bare = await answers([
      [socket, 1, 1],
      [connect, 0],
      [ioctl, 0, TIOCSTI],
    ]);
    expect(bare).not.toContain(EPERM);
    expect(bare[0]).toBe(0);
    expect(bare[2]).toBe(ENOTTY);
  });

  test('keeps no file descriptor of the filter, and can start other programs', async () => {
    const script = 'for i in 3 4 5 6 7 8 9; do (eval ": <&$i") 2>/dev/null && echo "$i is open"; done; echo other';
    const { said } = await perl(`system('/bin/sh', '-c', '${script}');`);
    expect(said).toBe('other\n');
  });

  /** 0 if a call succeeded, otherwise its error. */
  async function answers(calls: readonly (readonly number[])[]): Promise<number[]> {
    const lines = calls.map((call) => {
      const args = Array.from({ length: 7 }, (_, index) => call[index] ?? 0).join(',');
      return `$r = syscall(${args}); print(($r == -1 ? $! + 0 : 0), "\\n");`;
    });
    const { said, stderrTail } = await perl(lines.join('\n'));
    expect(stderrTail).toBe('');
    return said.trim().split('\n').map(Number);
  }

  /** Part of Debian's base system. */
  async function perl(script: string): Promise<{ said: string; stderrTail: string }> {
    await using folder = await mediaFolder();
    const [inputPath, outputDir] = [join(folder.path, 'source'), join(folder.path, 'out')];
    await writeFile(inputPath, `$| = 1;\n${script}`);
    await mkdir(outputDir);
    const said: string[] = [];
    const { stderrTail } = await runConfined(sandbox, {
      program: '/usr/bin/perl',
      inputPath,
      outputDir,
      toArguments: (inside) => [inside.inputPath],
      limits: { addressSpaceBytes: 2 * 1024 ** 3, cpuSeconds: 30, fileSizeBytes: 1024 ** 2 },
      output: { maxBytes: 1024 ** 2, maxFiles: 10 },
      timeoutSeconds: 30,
      onStdout: (text) => said.push(text),
    });
    return { said: said.join(''), stderrTail };
  }
});

/** Evaluates a filter as the kernel does, as far as ours needs. */
describe.each<[Architecture, { audit: number; other: number; clone: number; ioctl: number; usual: number[] }]>([
  // read, write, mmap, brk, futex, execve, exit_group, openat, setuid, prlimit64, getrandom, rseq
  [
    'x64',
    {
      audit: 0xc000_003e,
      other: 0x4000_0003,
      clone: 56,
      ioctl: 16,
      usual: [0, 1, 9, 12, 202, 59, 231, 257, 105, 302, 318, 334],
    },
  ],
  [
    'arm64',
    {
      audit: 0xc000_00b7,
      other: 0x4000_0028,
      clone: 220,
      ioctl: 29,
      usual: [63, 64, 222, 214, 98, 221, 94, 56, 146, 261, 278, 293],
    },
  ],
])('the filter for %s', (architecture, { audit, other, clone, ioctl, usual }) => {
  const filter = syscallFilter(architecture)!;
  const ask = (number: number, args: number[] = [], of = audit): number => interpret(filter, number, of, args);

  test('answers every number', () => {
    const column = architecture === 'x64' ? 0 : 1;
    const numbers = new Set(Object.values(REFUSED_CALLS).flatMap((both) => both[column] ?? []));
    const expected = (number: number): number => {
      if (number === 435 || number > 462) return refused(ENOSYS);
      return numbers.has(number) ? refused(EPERM) : ALLOW;
    };
    for (let number = 0; number < 1_000; number += 1) expect(ask(number), `${number}`).toBe(expected(number));
    for (const number of usual) expect(ask(number), `${number}`).toBe(ALLOW);
  });

  test('checks the arguments of clone and ioctl', () => {
    expect(ask(clone, [THREAD_FLAGS])).toBe(ALLOW);
    for (const bit of [17, 25, 26, 27, 28, 29, 30]) expect(ask(clone, [2 ** bit + 17]), `${bit}`).toBe(refused(EPERM));
    expect(ask(ioctl, [0, TCGETS])).toBe(ALLOW);
    expect(ask(ioctl, [0, TIOCSTI])).toBe(refused(EPERM));
    expect(ask(ioctl, [0, 0x541c])).toBe(refused(EPERM));
    // The second argument decides, not the first.
    expect(ask(ioctl, [TIOCSTI, TCGETS])).toBe(ALLOW);
  });

  test('kills callers of another architecture, and knows no numbers of x32', () => {
    for (const number of [...usual, 41, 463]) expect(ask(number, [], other)).toBe(KILL);
    expect(ask(0x4000_0000)).toBe(refused(ENOSYS));
    expect(ask(0x4000_0000 + 41)).toBe(refused(ENOSYS));
    expect(ask(0xffff_ffff)).toBe(refused(ENOSYS));
  });

  test("fits the kernel's limit, and never jumps out of bounds", () => {
    const count = filter.length / 8;
    expect(count).toBeLessThanOrEqual(4_096);
    for (let at = 0; at < count; at += 1) {
      const isJump = (filter.readUInt16LE(at * 8) & 7) === 5;
      const furthest = isJump ? Math.max(filter[at * 8 + 2]!, filter[at * 8 + 3]!) : 0;
      expect(at + 1 + furthest).toBeLessThanOrEqual(isJump ? count - 1 : count);
    }
  });
});

test('there is no filter for an architecture with unknown calls', () => {
  expect(syscallFilter('riscv64')).toBeNull();
});

function interpret(filter: Buffer, number: number, audit: number, args: readonly number[]): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(audit, 4);
  for (const [index, value] of args.entries()) data.writeUInt32LE(value, 16 + 8 * index);
  let loaded = 0;
  for (let at = 0; ; at += 1) {
    const code = filter.readUInt16LE(at * 8);
    const [ifTrue = 0, ifFalse = 0] = filter.subarray(at * 8 + 2);
    const value = filter.readUInt32LE(at * 8 + 4);
    switch (code) {
      case 0x20:
        loaded = data.readUInt32LE(value);
        break;
      case 0x06:
        return value;
      case 0x15:
        at += loaded === value ? ifTrue : ifFalse;
        break;
      case 0x25:
        at += loaded > value ? ifTrue : ifFalse;
        break;
      case 0x45:
        at += (loaded & value) !== 0 ? ifTrue : ifFalse;
        break;
      default:
        throw new Error(`instruction ${code} is unknown`);
    }
  }
}
