import { randomUUID } from 'node:crypto';

import { beforeEach, describe, expect, it } from 'vitest';

import { DeliveryRig, FILES_OF_A_GRANT, type PublishedVideo } from './rig.js';

const HOUR = 3_600;
/** What would be there if the video had it. */
const OTHERS = [
  '1-2/key/0',
  '1-2/storyboard/index.vtt',
  'chapters.vtt',
  'captions/00000000-0000-4000-8000-000000000000.vtt',
];

const rig = await DeliveryRig.ofFile();
let video: PublishedVideo;
beforeEach(async () => {
  video = await rig.published('test');
});

const now = (): number => Math.floor(Date.now() / 1_000);
const move = (seconds: number) =>
  rig.rows.query(
    `insert into test_fault (account_id, subject_id, fault, seconds, created_at) values ($1, $2, 'CLOCK_MOVED', $3, now())`,
    [video.accountId, randomUUID(), seconds],
  );
const base = (of: PublishedVideo, endsAt: number): string => `/media/${rig.grant(of, endsAt)}/${of.vid}`;

async function statuses(at: string, files = FILES_OF_A_GRANT): Promise<number[]> {
  return Promise.all(files.map(async (file) => (await rig.send(`${at}/${file}`)).status));
}

describe('a stream of test mode', () => {
  it('ends at every file within two seconds after the clock of its account has passed its end', async () => {
    const at = base(video, now() + HOUR);
    expect(await statuses(at)).toEqual(FILES_OF_A_GRANT.map(() => 200));
    expect(await statuses(at, OTHERS)).toEqual(OTHERS.map(() => 404));
    await move(HOUR - 600);
    rig.media.changed(video.accountId, video.videoId);
    expect(await statuses(at)).toEqual(FILES_OF_A_GRANT.map(() => 200));
    await move(601);
    await expect.poll(() => statuses(at)).toEqual(FILES_OF_A_GRANT.map(() => 403));
    expect(await statuses(at, OTHERS)).toEqual(OTHERS.map(() => 403));
    const answer = await rig.send(`${at}/master.m3u8`);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'FORBIDDEN' } });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('that began after a move plays, from memory, and caches keep it until its own end', async () => {
    await move(7 * HOUR);
    const at = base(video, now() + 7 * HOUR + HOUR);
    expect(await statuses(at)).toEqual(FILES_OF_A_GRANT.map(() => 200));
    const before = rig.atOnce;
    for (let times = 0; times < 2; times += 1) {
      const { headers } = await rig.send(`${at}/1-2/480p/seg_00000.m4s`);
      const seconds = Number(/max-age=(\d+)/.exec(headers['cache-control']!)![1]);
      expect(seconds).toBeLessThanOrEqual(HOUR);
      expect(seconds).toBeGreaterThan(HOUR - 600);
    }
    expect(rig.atOnce).toBeGreaterThan(before);
  });

  it('does not end when the clock of another test account is moved, and no live stream ends', async () => {
    const [other, live] = [await rig.published('test'), await rig.published()];
    const streams = [base(other, now() + HOUR), base(live, now() + HOUR)];
    for (const at of streams) expect(await statuses(at)).toEqual(FILES_OF_A_GRANT.map(() => 200));
    await move(31 * 24 * HOUR);
    for (const { accountId, videoId } of [other, live]) rig.media.changed(accountId, videoId);
    for (const at of streams) expect(await statuses(at)).toEqual(FILES_OF_A_GRANT.map(() => 200));
  });
});
