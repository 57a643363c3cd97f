import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';
import { makeClip, mediaFolder } from '../../support/media.js';
import { OWN_PROCESS } from '../../support/ownProcess.js';

interface Running {
  pid: number;
  parent: number;
  name: string;
}

/** All running processes, without dead ones that were not yet reaped. */
async function running(): Promise<Running[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return stats.flatMap((stat) => {
    const match = /^(\d+) \((.*)\) (\S) (\d+) /s.exec(stat);
    return match === null || match[3] === 'Z'
      ? []
      : [{ pid: Number(match[1]), parent: Number(match[4]), name: match[2] ?? '' }];
  });
}

async function descendants(of: number): Promise<Running[]> {
  const all = await running();
  const found: Running[] = [];
  for (let parents = [of]; parents.length > 0;) {
    const children = all.filter((process) => parents.includes(process.parent));
    found.push(...children);
    parents = children.map((child) => child.pid);
  }
  return found;
}

async function untilGone(pids: number[]): Promise<void> {
  while ((await running()).some((process) => pids.includes(process.pid))) {
    await pause(20);
  }
}

/** With the slowest preset it takes minutes, and reports progress within a second. */
const LONG_CLIP = { width: 640, height: 360, durationSeconds: 60, audio: null };

describe.each([true, false])('with bubblewrap: %s', (useBwrap) => {
  test('an aborted encode leaves no process, and reports why it was aborted', async () => {
    await using folder = await mediaFolder();
    const transcoder = await createFfmpegTranscoder({ preset: 'veryslow', useBwrap });
    const source = await makeClip(folder.path, LONG_CLIP);
    const probe = await transcoder.probe(source);
    const controller = new AbortController();
    const reason = new Error('the video was deleted');
    const events = new EventEmitter();
    const begun = once(events, 'progress');
    const encoding = transcoder.encode({
      sourcePath: source,
      probe,
      renditions: renditionsFor('720p', probe),
      outputDir: join(folder.path, 'out'),
      signal: controller.signal,
      onProgress: () => events.emit('progress'),
    });
    const outcome = expect(encoding).rejects.toBe(reason);
    await begun;
    const children = await descendants(process.pid);
    expect(children.map((child) => child.name)).toContain('ffmpeg');
    controller.abort(reason);
    await outcome;
    await untilGone(children.map((child) => child.pid));
  });

  test('killing the parent also kills ffmpeg', async () => {
    await using folder = await mediaFolder();
    const source = await makeClip(folder.path, LONG_CLIP);
    const script = new URL('./longEncode.ts', import.meta.url).pathname;
    const outputDir = join(folder.path, 'out');
    const args = [...OWN_PROCESS, script, source, outputDir, String(useBwrap)];
    const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(parent.stdout, 'data');
    const children = await descendants(parent.pid!);
    expect(children.map((child) => child.name)).toContain('ffmpeg');
    parent.kill('SIGKILL');
    await untilGone([parent.pid!, ...children.map((child) => child.pid)]);
  });
});

test('an already aborted signal starts nothing', async () => {
  await using folder = await mediaFolder();
  const transcoder = await createFfmpegTranscoder();
  const source = await makeClip(folder.path, { durationSeconds: 0.2 });
  const signal = AbortSignal.abort(new Error('too late'));
  await expect(transcoder.probe(source, { signal })).rejects.toThrow('too late');
});
