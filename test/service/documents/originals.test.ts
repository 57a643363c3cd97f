import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId, parseVideoId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { DocumentRig, type Person } from '../../support/documents/rig.js';

const FILE = randomBytes(3_000_000);

let rig: DocumentRig;
let owner: Person;
let stranger: Person;
let staff: Person;

beforeAll(async () => {
  rig = await DocumentRig.start();
  owner = await rig.person('owner@example.com');
  stranger = await rig.person('stranger@example.com');
  staff = await rig.person('staff@example.com', 'support');
});
afterAll(() => rig.stop());

interface Video {
  readonly title?: string;
  readonly container?: string | null;
  readonly file?: Buffer | null;
}

/** @returns its address */
async function video({ title = 'The river', container = 'mp4', file = FILE }: Video = {}): Promise<string> {
  const id = newId();
  const key = file === null ? null : `sources/${id}`;
  if (key !== null) await rig.store.put(key, Readable.from([file]));
  await rig.admin.query(
    `insert into video (account_id, id, title, status, source_key, source_probe) values ($1, $2, $3, 'uploaded', $4, $5)`,
    [owner.accountId, id, title, key, container === null ? null : JSON.stringify({ container })],
  );
  return `/videos/${videoIdOf(id)}/original`;
}

describe('the source of a video', () => {
  it('is sent whole to its owner, as it came', async () => {
    const answer = await rig.get(await video(), owner);
    expect(answer.status).toBe(200);
    expect(answer.body.equals(FILE)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(FILE.length),
      'content-disposition': `attachment; filename="The river.mp4"; filename*=UTF-8''The%20river.mp4`,
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is sent in parts, to continue a download, and not after it changed', async () => {
    const path = await video();
    const etag = (await rig.get(path, owner, 'HEAD')).headers.get('etag')!;
    const rest = await rig.get(path, owner, 'GET', { range: 'bytes=2999990-', 'if-range': etag });
    expect(rest.status).toBe(206);
    expect(rest.headers.get('content-range')).toBe('bytes 2999990-2999999/3000000');
    expect(rest.body.equals(FILE.subarray(2_999_990))).toBe(true);
    const middle = await rig.get(path, owner, 'GET', { range: 'bytes=10-19' });
    expect(middle.body.equals(FILE.subarray(10, 20))).toBe(true);

    const other = await rig.get(path, owner, 'GET', { range: 'bytes=10-', 'if-range': '"another"' });
    expect([other.status, other.body.length]).toEqual([200, FILE.length]);
    const beyond = await rig.get(path, owner, 'GET', { range: 'bytes=3000000-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */3000000']);
    expect((await rig.get(await video({ file: Buffer.alloc(0) }), owner)).body).toHaveLength(0);
  });

  it.each([
    ['नदी: "the/river"', 'matroska', '_____ _the river_.mkv', '%E0%A4%A8%E0%A4%A6%E0%A5%80%20the%20river.mkv'],
    ['..', 'wav', 'video.wav', 'video.wav'],
    ['Take 2.MP4', 'mp4', 'Take 2.MP4', 'Take%202.MP4'],
    ['50% off', null, '50_ off', '50%25%20off'],
    ['a\u202Egpj.exe', 'mp3', 'a gpj.exe.mp3', 'a%20gpj.exe.mp3'],
  ] as const)('is named after the title %s', async (title, container, plain, full) => {
    const { headers } = await rig.get(await video({ title, container }), owner, 'HEAD');
    const [, name, encoded] = /filename="(.*)"; filename\*=UTF-8''(.*)$/.exec(headers.get('content-disposition')!)!;
    expect(encoded).toBe(full);
    // Programs that read only ASCII get the same name with gaps.
    expect(name).toMatch(/^[ -~]+$/);
    if (/^[ -~]+$/.test(title)) expect(name).toBe(plain);
  });

  it('is for its owner alone: not for strangers, visitors or staff, and not by naming the account', async () => {
    const path = await video();
    for (const [person, query, status] of [
      [null, '', 401],
      [stranger, '', 404],
      [staff, '', 404],
      [staff, `?account=${owner.accountId}`, 404],
    ] as const) {
      const answer = await rig.get(`${path}${query}`, person);
      expect([answer.status, answer.headers.get('content-disposition')]).toEqual([status, null]);
    }
    for (const id of ['nothing', videoIdOf(newId())]) {
      expect((await rig.get(`/videos/${id}/original`, owner)).status).toBe(404);
    }
    expect((await rig.get(path, owner, 'DELETE')).status).toBe(405);
  });

  it('is refused for a deleted video, also in the bin, and before a file has arrived', async () => {
    const path = await video();
    await rig.admin.query(
      `update video set deleted_at = now(), purge_after = now() + interval '7 days' where id = $1`,
      [parseVideoId(path.split('/')[2]!)],
    );
    const statuses = [(await rig.get(path, owner)).status, (await rig.get(await video({ file: null }), owner)).status];
    expect(statuses).toEqual([404, 409]);
  });
});
