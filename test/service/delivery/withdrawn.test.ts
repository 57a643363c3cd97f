import { randomUUID } from 'node:crypto';

import { beforeEach, describe, expect, it } from 'vitest';

import { PublishedMedia } from '../../../src/domain/media/library/publishedMedia.js';
import type { Sql } from '../../../src/db/sql.js';
import { DeliveryRig, FILES_OF_A_GRANT, type PublishedVideo } from './rig.js';

/** Within two seconds, every file is refused. */
const SECOND_MS = 1_000;

const rig = await DeliveryRig.ofFile();
let video: PublishedVideo;
beforeEach(async () => {
  video = await rig.published();
});

async function statuses(base: string): Promise<number[]> {
  const answers: number[] = [];
  for (const file of FILES_OF_A_GRANT) answers.push((await rig.send(`${base}/${file}`)).status);
  return answers;
}

describe('a stream in progress', () => {
  it.each([
    ['of a video that is deleted', 'update video set deleted_at = now() where id = $1', 404, 'VIDEO_NOT_FOUND'],
    [
      'of an account that is suspended',
      'update account set suspended_at = now() where id = (select account_id from video where id = $1)',
      403,
      'ACCOUNT_SUSPENDED',
    ],
  ])('%s is refused at every file within two seconds, without a notification', async (_, change, status, code) => {
    const base = rig.base(video);
    expect(await statuses(base)).toEqual(FILES_OF_A_GRANT.map(() => 200));
    await rig.rows.query(change, [video.videoId]);
    await expect.poll(() => statuses(base)).toEqual(FILES_OF_A_GRANT.map(() => status));
    const answer = await rig.send(`${base}/1-2/480p/seg_00000.m4s`);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code } });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('of an account that is no longer suspended plays again', async () => {
    const base = rig.base(video);
    const set = (value: string) =>
      rig.change(video, `update account set suspended_at = ${value} where id = $1`, [video.accountId]);
    await set('now()');
    expect(await statuses(base)).toEqual(FILES_OF_A_GRANT.map(() => 403));
    await set('null');
    expect(await statuses(base)).toEqual(FILES_OF_A_GRANT.map(() => 200));
  });
});

describe('the cached permission to play', () => {
  let nowMs: number;
  let asked: number;
  /** Statements finish when this resolves. */
  let gate: Promise<void>;
  let media: PublishedMedia;
  beforeEach(() => {
    nowMs = 0;
    asked = 0;
    gate = Promise.resolve();
    const sql: Sql = {
      query: async <Row extends object>(...[{ text }, values]: Parameters<Sql['query']>) => {
        asked += 1;
        const { rows } = await rig.rows.query(text, values as unknown[]);
        await gate;
        return rows as Row[];
      },
    };
    media = new PublishedMedia(sql, { monotonicMs: () => nowMs });
  });
  const remove = () => rig.rows.query('update video set deleted_at = now() where id = $1', [video.videoId]);
  const plays = async () => media.plays(video.accountId, video.videoId);
  const master = () => media.masterPlaylist(video.accountId, video.videoId);
  const closed = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };

  it('is read every three quarters of a second, however many viewers play', async () => {
    for (nowMs = 0; nowMs < 750; nowMs += 50) await Promise.all([plays(), master(), plays(), master()]);
    expect(asked).toBe(1);
    for (; nowMs < 1_500; nowMs += 50) await Promise.all([plays(), master(), plays(), master()]);
    expect(asked).toBe(2);
  });

  it('is refreshed before it is too old, and no request waits for that', async () => {
    expect(await plays()).toBe(true);
    const open = closed();
    nowMs = 750;
    expect(await plays()).toBe(true);
    await expect.poll(() => asked).toBe(2);
    await remove();
    open();
    nowMs = SECOND_MS + 750;
    expect(await plays()).toBe(false);
  });

  it('is never older than a second', async () => {
    expect(await plays()).toBe(true);
    await remove();
    nowMs = SECOND_MS;
    expect([await plays(), await master()]).toEqual([false, null]);
  });

  it('is read again at once after a notification', async () => {
    expect(await plays()).toBe(true);
    await remove();
    media.changed(video.accountId, video.videoId);
    expect(await plays()).toBe(false);
  });

  it('ignores a statement that was running when the notification came', async () => {
    const open = closed();
    const before = master();
    await expect.poll(() => asked).toBe(1);
    await remove();
    media.changed(video.accountId, video.videoId);
    const after = master();
    open();
    expect(await before).not.toBeNull();
    expect(await after).toBeNull();
    expect(await master()).toBeNull();
  });

  it('ignores a slow statement that began more than a second ago', async () => {
    const open = closed();
    const before = master();
    await expect.poll(() => asked).toBe(1);
    await remove();
    nowMs = SECOND_MS;
    const after = master();
    open();
    expect(await before).not.toBeNull();
    expect(await after).toBeNull();
  });

  it('is also cached for an unknown video', async () => {
    const unknown = randomUUID();
    for (let times = 0; times < 10; times += 1) expect(await media.plays(video.accountId, unknown)).toBe(false);
    expect(asked).toBe(1);
  });
});

describe('while the database is away', () => {
  const segment = (base: string) => rig.send(`${base}/1-2/480p/seg_00000.m4s`);

  it('a refused video stays refused', async () => {
    const base = rig.base(video);
    await rig.change(video, 'update video set deleted_at = now() where id = $1', [video.videoId]);
    expect((await segment(base)).status).toBe(404);
    rig.way.cut();
    try {
      // What is cached stays in use as long as the database is away.
      for (let times = 0; times < 5; times += 1) expect((await segment(base)).status).toBe(404);
    } finally {
      rig.way.mend();
    }
  });

  it('segments keep playing if the database accepts statements without a response', async () => {
    const base = rig.base(video);
    const resume = rig.way.hold();
    try {
      for (let times = 0; times < 3; times += 1) expect((await segment(base)).status).toBe(200);
    } finally {
      resume();
    }
    await rig.change(video, 'update video set deleted_at = now() where id = $1', [video.videoId]);
    await expect.poll(async () => (await segment(base)).status).toBe(404);
  });
});
