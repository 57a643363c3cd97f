import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { beforeAll, describe, expect, test } from 'vitest';

import { detectSandbox, findPrograms } from '../../../src/adapters/transcode/sandbox/detectSandbox.js';
import { runConfined, type ConfinedRequest } from '../../../src/adapters/transcode/sandbox/runConfined.js';
import type { Sandbox } from '../../../src/adapters/transcode/sandbox/sandbox.js';
import { mediaFolder } from '../../support/media.js';

/*
 * A compromised program in the real sandbox: each test tries one thing that ffmpeg never does. The program is a shell,
 * which is as capable as any exploit.
 */
const PATH = process.env['PATH'] ?? '';
const asRoot = process.getuid?.() === 0;
const GENEROUS = { addressSpaceBytes: 4 * 1024 ** 3, cpuSeconds: 60, fileSizeBytes: 1024 ** 3, processes: 200 };

describe.each([{ useBwrap: true }, { useBwrap: false }])('a hostile program (bwrap: $useBwrap)', ({ useBwrap }) => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    ({ sandbox } = await detectSandbox(await findPrograms(undefined, PATH), { searchPath: PATH, asRoot, useBwrap }));
    expect(sandbox.kind).toBe(useBwrap ? 'bwrap' : 'unshare');
  });

  test('gets no more memory than its limit', async () => {
    const limits = { ...GENEROUS, addressSpaceBytes: 256 * 1024 ** 2 };
    const { exitCode, stderrTail } = await tries(`head -c 1G /dev/zero | tail -n 1 | wc -c`, { limits });
    expect(exitCode === 0 && stderrTail === '').toBe(false);
    expect(stderrTail).toMatch(/memory exhausted|Cannot allocate/);
  });

  test('is ended when it has used its CPU time', async () => {
    const { exitCode, killedFor } = await tries('while :; do :; done', { limits: { ...GENEROUS, cpuSeconds: 1 } });
    // SIGXCPU ends a shell; if it is caught, the kernel sends SIGKILL.
    expect([128 + 24, 128 + 9]).toContain(exitCode);
    expect(killedFor).toBeNull();
  });

  test('is ended after its wall-clock time, together with all processes it left behind', async () => {
    const mark = `98765.${Math.floor(Math.random() * 1e9)}`;
    const script = `setsid sh -c 'exec sleep ${mark}' >&- 2>&- <&- & sleep 1000`;
    const { killedFor } = await tries(script, { timeoutSeconds: 1 });
    expect(killedFor).toBe('timeout');
    await untilNobodyHas(mark);
  });

  test('leaves no process behind when it ends by itself', async () => {
    const mark = `98765.${Math.floor(Math.random() * 1e9)}`;
    const { exitCode } = await tries(`setsid sh -c 'exec sleep ${mark}' >&- 2>&- <&- & sleep 0.2; exit 7`);
    expect(exitCode).toBe(7);
    await untilNobodyHas(mark);
  });

  test('writes no file larger than its limit', async () => {
    await using folder = await mediaFolder();
    const limits = { ...GENEROUS, fileSizeBytes: 1024 ** 2 };
    const { exitCode } = await tries('exec head -c 50M /dev/zero > "$OUT/large"', { limits, folder: folder.path });
    expect(exitCode).toBe(128 + 25);
    expect((await readFile(join(folder.path, 'out', 'large'))).length).toBe(1024 ** 2);
  });

  test.each([
    ['large files', 'head -c 1M /dev/zero', { maxBytes: 20 * 1024 ** 2, maxFiles: 1_000_000 }],
    ['small files', 'echo', { maxBytes: 1024 ** 3, maxFiles: 2_000 }],
  ])('does not fill the disk with many %s', async (_, command, output) => {
    const script = `i=0; while :; do ${command} > "$OUT/f$i"; i=$((i + 1)); done`;
    const { killedFor } = await tries(script, { output, timeoutSeconds: 60 });
    expect(killedFor).toBe('output');
  });

  test('starts no more processes than its limit', async () => {
    const script = 'i=0; while [ $i -lt 100 ]; do sleep 5 & i=$((i + 1)); done; echo all';
    const { said, stderrTail } = await tries(script, { limits: { ...GENEROUS, processes: 20 } });
    expect(stderrTail).toMatch(/Resource temporarily unavailable|Cannot fork/);
    expect(said).not.toContain('all');
  });

  test('is counted by itself: processes of other runs do not count', async () => {
    const limits = { ...GENEROUS, processes: 20 };
    const greedy = tries('for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do sleep 3 & done; wait', { limits });
    const { said } = await tries('for i in 1 2 3 4 5 6 7 8; do sleep 0.1 & done; wait; echo all', { limits });
    expect(said).toContain('all');
    await greedy;
  });

  test('reaches no address', async () => {
    let calls = 0;
    const server = createServer(() => (calls += 1)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { exitCode } = await tries(`exec 3<>/dev/tcp/127.0.0.1/${port}`, { shell: '/usr/bin/bash' });
    server.close();
    expect(exitCode).not.toBe(0);
    expect(calls).toBe(0);
  });

  test('sees only its own processes', async () => {
    const { said } = await tries('ls /proc; cat /proc/1/environ /proc/1/cmdline');
    const pids = said.split('\n').filter((line) => /^\d+$/.test(line));
    expect(pids.length).toBeLessThan(5);
    expect(said).not.toContain('vitest');
    expect((await tries(`cat /proc/${process.pid}/environ`)).exitCode).not.toBe(0);
    expect((await tries(`kill -0 ${process.pid}`)).exitCode).not.toBe(0);
  });

  test('is nobody, without rights and secrets', async () => {
    const { said } = await tries(
      'id -u; id -G; setpriv --dump; grep CapEff /proc/self/status; env; ulimit -c; ulimit -n',
    );
    if (asRoot) {
      expect(said).toMatch(/^(649\d\d|65[0-3]\d\d|65400)\n64901\n/);
      expect(said).toMatch(/Capability bounding set: \[none\]/i);
    }
    expect(said).toMatch(/no_new_privs: 1/);
    if (!useBwrap) expect(said).toMatch(/CapEff:\s0+\n/);
    const names = said.split('\n').flatMap((line) => /^([A-Z_]+)=/.exec(line)?.[1] ?? []);
    expect(names.toSorted()).toEqual(['HOME', 'LC_ALL', 'MALLOC_ARENA_MAX', 'PWD']);
    expect(said).toMatch(/\n0\n256\n$/);
  });

  test('is the first to be killed when the machine runs out of memory', async () => {
    // Without /proc it cannot check itself; then its children are inspected from outside.
    const mark = `98765.${Math.floor(Math.random() * 1e9)}`;
    const seen = new AbortController();
    const reason = new Error('seen');
    const run = expect(tries(`exec sleep ${mark}`, { signal: seen.signal })).rejects.toBe(reason);
    await expect.poll(() => processesWith(mark)).not.toEqual([]);
    const scores = (await processesWith(mark)).map((pid) => readFile(`/proc/${pid}/oom_score_adj`, 'utf8'));
    expect(new Set(await Promise.all(scores))).toEqual(new Set(['1000\n']));
    seen.abort(reason);
    await run;
    await untilNobodyHas(mark);
  });

  test('reads and writes no file of ours', async () => {
    await using folder = await mediaFolder();
    const secret = join(folder.path, 'secret');
    await writeFile(secret, 'SECRET', { mode: 0o600 });
    const open = join(folder.path, 'open');
    await writeFile(open, 'OPEN');
    await chmod(open, 0o666);
    const said = async (script: string): Promise<string> => (await tries(script)).said;
    if (asRoot || useBwrap) expect(await said(`cat ${secret}`)).not.toContain('SECRET');
    expect(await said(`cat /etc/shadow`)).not.toContain('root');
    if (useBwrap) {
      expect(await said(`cat ${open} /etc/passwd`)).toBe('');
      for (const place of ['/', '/tmp/', '/dev/', '/dev/shm/', '/in/', '/usr/']) {
        expect((await tries(`echo > ${place}canary`)).exitCode, place).not.toBe(0);
      }
      expect(await said('echo > /out/canary && ls /out; echo >> /in/source || echo refused')).toBe('canary\nrefused\n');
    }
    if (asRoot) expect((await tries(`echo > ${folder.path}/canary`)).exitCode).not.toBe(0);
    expect(await readFile(open, 'utf8')).toBe('OPEN');
  });

  test('reaches its own file and folder even below folders that others cannot enter', async () => {
    await using folder = await mediaFolder();
    const { said, exitCode } = await tries('cat "$IN"; mkdir "$OUT/a"; echo made > "$OUT/a/b"', {
      folder: folder.path,
      closed: true,
    });
    expect({ said, exitCode }).toEqual({ said: 'the source', exitCode: 0 });
    expect(await readFile(join(folder.path, 'out', 'a', 'b'), 'utf8')).toBe('made\n');
  });

  test('leaves no link in its output', async () => {
    await using folder = await mediaFolder();
    const ours = join(folder.path, 'ours');
    await writeFile(ours, 'OURS');
    await chmod(ours, 0o666);
    const links = `ln -s /etc/passwd seg.m4s; ln -s / dir; ln ${ours} two; mkfifo pipe`;
    await tries(`cd "$OUT"; ${links}; mkdir -p a/b/c/d; echo > a/kept`, { folder: folder.path });
    const left = await readdir(join(folder.path, 'out'), { recursive: true });
    expect(left.toSorted()).toEqual(['a', 'a/b', 'a/kept']);
  });

  test('is killed if it prints without end', async () => {
    const flood = await tries('while :; do printf "%65536s" x; done', { maxStdoutChars: 1024 ** 2 });
    expect(flood.killedFor).toBe('output');
    expect(flood.said.length).toBeLessThanOrEqual(1024 ** 2);
    const { stderrTail } = await tries('head -c 3M /dev/zero >&2');
    expect(stderrTail.length).toBe(8_000);
  });

  async function tries(
    script: string,
    options: Partial<ConfinedRequest> & { folder?: string; closed?: boolean; shell?: string } = {},
  ): Promise<{ exitCode: number; killedFor: string | null; stderrTail: string; said: string }> {
    await using own = await mediaFolder();
    const { folder = own.path, closed = false, shell = '/usr/bin/sh', ...request } = options;
    const [inputPath, outputDir] = [join(folder, 'source'), join(folder, 'out')];
    await writeFile(inputPath, 'the source', { mode: 0o600 });
    await mkdir(outputDir);
    await chmod(folder, closed ? 0o700 : 0o755);
    const said: string[] = [];
    const result = await runConfined(sandbox, {
      program: shell,
      inputPath,
      outputDir,
      toArguments: (inside) => ['-c', `IN=${inside.inputPath}; OUT=${inside.outputDir}; ${script}`],
      limits: GENEROUS,
      output: { maxBytes: 1024 ** 3, maxFiles: 100_000 },
      timeoutSeconds: 30,
      onStdout: (text) => said.push(text),
      ...request,
    });
    return { ...result, said: said.join('') };
  }
});

/** All processes of the machine with `mark` on their command line. */
async function processesWith(mark: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => lines[index]?.includes(mark));
}

async function untilNobodyHas(mark: string): Promise<void> {
  while ((await processesWith(mark)).length > 0) await pause(20);
}
