import { fork, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { head, openPatch, tusUpload } from '../../support/uploads/client.js';
import { UploadRig } from '../../support/uploads/rig.js';
import { IS_FULL } from '../../support/effort.js';
import { OWN_PROCESS } from '../../support/ownProcess.js';

const MIB = 1024 * 1024;
const VIDEO_BYTES = IS_FULL ? 4096 * MIB : 160 * MIB;
/** After each kill, the client waits for the dead process's lease. */
const KILLS_AT = IS_FULL ? [5 * MIB, 13 * MIB] : [13 * MIB];
const MAX_GROWTH_BYTES = 100 * MIB;

let rig: UploadRig;
let child: ChildProcess | undefined;
beforeAll(async () => {
  rig = await UploadRig.start();
});
afterAll(() => rig.stop());
afterEach(() => child?.kill('SIGKILL'));

/** A server process on the rig's database and folder. */
async function spawned(): Promise<{ child: ChildProcess; url: string }> {
  child = fork(new URL('../../support/uploads/uploadProcess.ts', import.meta.url), [rig.database.runtimeUrl, rig.dir], {
    execArgv: [...OWN_PROCESS],
  });
  const [message] = (await once(child, 'message')) as [{ url: string }];
  return { child, url: message.url };
}

async function residentBytes(process: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) * 1024;
}

/** Bytes that differ everywhere and can be generated from any offset. */
function sourceBytes(start: number, end: number): Buffer {
  const block = Buffer.alloc(end - start);
  for (let at = 0; at + 8 <= block.length; at += 4096) block.writeDoubleLE(start + at, at);
  return block;
}

async function* video(sizeBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < sizeBytes; at += MIB) yield sourceBytes(at, Math.min(at + MIB, sizeBytes));
}

describe('a process', () => {
  it(
    'takes a large video without growing',
    async () => {
      const { child, url } = await spawned();
      const { accountId, videoId, uploadId } = await rig.begun(VIDEO_BYTES);
      // The first upload of a process loads and compiles what all others use.
      const first = await rig.begun(4 * MIB);
      await tusUpload(`${url}/uploads/${first.uploadId}`, Buffer.alloc(4 * MIB), { accountId: first.accountId }).done;
      const before = await residentBytes(child);
      let peak = before;

      const { req, answer } = openPatch(`${url}/uploads/${uploadId}`, accountId, {
        offset: 0,
        contentLength: VIDEO_BYTES,
      });
      const sent = createHash('sha256');
      let parts = 0;
      for await (const part of video(VIDEO_BYTES)) {
        sent.update(part);
        if (!req.write(part)) await once(req, 'drain');
        parts += 1;
        if (parts % 16 === 0) peak = Math.max(peak, await residentBytes(child));
      }
      req.end();
      expect((await answer).status).toBe(204);
      peak = Math.max(peak, await residentBytes(child));

      expect(peak - before).toBeLessThan(MAX_GROWTH_BYTES);
      const stored = createHash('sha256');
      const { source_key: key, status } = await rig.rows.videoState(videoId);
      expect(status).toBe('uploaded');
      for await (const part of (await rig.node.store.get(key!))!.body) stored.update(part as Buffer);
      expect(stored.digest('hex')).toBe(sent.digest('hex'));
      await rig.node.store.delete(key!);
    },
    20 * 60_000,
  );

  it('that is killed leaves its client to resume in the next one, where it was', async () => {
    const size = 24 * MIB;
    const { accountId, videoId, uploadId } = await rig.begun(size);
    const whole = sourceBytes(0, size);
    for (const until of KILLS_AT) {
      const { child, url } = await spawned();
      const reached = await head(`${url}/uploads/${uploadId}`, accountId);
      const offset = Number(reached.headers.get('upload-offset'));
      const { req } = openPatch(`${url}/uploads/${uploadId}`, accountId, { offset, contentLength: size - offset });
      req.write(whole.subarray(offset, until));
      await expect.poll(() => rig.node.staging.sizeBytes({ accountId, uploadId })).toBe(until);
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const last = await spawned();
    await tusUpload(`${last.url}/uploads/${uploadId}`, whole, { accountId }).done;
    expect((await rig.sourceOf(videoId)).equals(whole)).toBe(true);
    expect(await rig.rows.measureJobs(videoId)).toBe(1);
  });

  it('that is suspended for longer than its lease loses the upload to another, and does no harm when it wakes', async () => {
    const size = 8 * MIB;
    const { accountId, videoId, uploadId } = await rig.begun(size);
    const whole = sourceBytes(0, size);
    const { child, url } = await spawned();
    const { req, answer } = openPatch(`${url}/uploads/${uploadId}`, accountId, { offset: 0, contentLength: size });
    req.write(whole.subarray(0, 3 * MIB));
    await expect.poll(() => rig.node.staging.sizeBytes({ accountId, uploadId })).toBe(3 * MIB);
    child.kill('SIGSTOP');

    await tusUpload(`${rig.node.url}/uploads/${uploadId}`, whole, { accountId }).done;
    child.kill('SIGCONT');
    req.end(whole.subarray(3 * MIB));

    await answer.catch(() => undefined);
    expect((await rig.sourceOf(videoId)).equals(whole)).toBe(true);
    expect(await rig.rows.measureJobs(videoId)).toBe(1);
  });
});
