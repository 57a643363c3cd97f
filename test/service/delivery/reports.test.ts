import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createDelivery } from '../../../src/api/delivery/router.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { addFact, lockTestAccount } from '../../../src/domain/accounts/testMode/testFacts.js';
import { MovedClocks } from '../../../src/domain/accounts/testMode/movedClocks.js';
import { TestModeService } from '../../../src/domain/accounts/testMode/testMode.service.js';
import { KeyService } from '../../../src/domain/accounts/keys/keys.service.js';
import { MediaKeyService } from '../../../src/domain/media/keys/mediaKeys.service.js';
import { PublishedMedia } from '../../../src/domain/media/library/publishedMedia.js';
import { ViewRecorder } from '../../../src/domain/playback/analytics/viewRecorder.js';
import { PlaybackService } from '../../../src/domain/playback/playback.service.js';
import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { deriveKey } from '../../../src/domain/shared/secrets/masterKey.js';
import type { ObjectStore } from '../../../src/ports/objectStore.js';
import { CHROME, GOOGLEBOT } from '../../support/analytics/watching.js';
import { restApp } from '../../support/contract/restApp.js';
import { addVideo, openAccount } from '../../support/contract/service.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const REPORT = {
  v: 1,
  seq: 1,
  startupMs: 812,
  watchedMs: 0,
  stalledMs: 0,
  stalls: 0,
  switches: 0,
  ranges: [],
  errors: [],
  ended: false,
};

let database: TestDatabase;
let db: PostgresDatabase;
let playback: PlaybackService;
let views: ViewRecorder;
let server: Server;
let port: number;
let key: string;
let accountId: string;
let videoId: string;
const masterKey = randomBytes(32);
let nowEpochSeconds = () => Date.now() / 1_000;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 4 });
  views = new ViewRecorder({ db, visitorKey: deriveKey(masterKey, 'playback-visitor') });
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  playback = await PlaybackService.open({ db, masterKey, publicUrl: `http://127.0.0.1:${port}`, views });
  const delivery = createDelivery({
    media: new PublishedMedia(db.sql),
    // Reports need no stored object.
    store: {} as ObjectStore,
    mediaKeys: new MediaKeyService({ db, masterKeys: { current: masterKey, previous: [] } }),
    grantKey: deriveKey(masterKey, 'playback-grant'),
    views,
    movedClocks: new MovedClocks(db.sql),
    trustProxies: 1,
    logger: pino({ level: 'silent' }),
    nowEpochSeconds: () => nowEpochSeconds(),
  });
  const app = restApp({ db, playback, masterKey, countryHeader: 'CF-IPCountry' });
  app.use('/media', delivery.router);
  server.on('request', (req, res) => {
    const ready = delivery.reports!.answer(req);
    if (ready) ready.send(req, res, []);
    else app(req, res);
  });
  accountId = await openAccount(db);
  ({ key } = await new KeyService({ db }).create(accountId, { name: 'test' }));
  videoId = await addVideo(db, accountId, { durationMs: 100_000 });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  playback.close();
  await db.close();
  await database.drop();
});

/** A viewer who has exchanged a token. */
async function viewer(headers: Record<string, string> = {}): Promise<{ url: string; manifestUrl: string }> {
  const { token } = await playback.mint(key, videoId);
  const answer = await fetch(token.manifestUrl, { headers: { 'user-agent': CHROME, ...headers } });
  const { data } = (await answer.json()) as { data: { url: string } };
  return { url: new URL('report', data.url).href, manifestUrl: token.manifestUrl };
}

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(url, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'text/plain;charset=UTF-8', ...headers },
  });
}

async function counted(): Promise<{ views: number; reported: number; plays: number; stored: number }> {
  await views.flush();
  const [row] = await db.sql.query<{ views: number; reported: number; plays: number; stored: number }>(
    {
      name: 'test-counted',
      text: `select coalesce(sum(views), 0)::int as views, coalesce(sum(reported), 0)::int as reported,
          coalesce(sum(plays), 0)::int as plays,
          (select count(*)::int from playback_view where account_id = $1) as stored
        from playback_day where account_id = $1 and dimension = 'all' and video_id = $2`,
    },
    [accountId, videoId],
  );
  return row!;
}

describe('an exchanged token', () => {
  it('is a view, once; a HEAD request and a preflight are none', async () => {
    const before = await counted();
    const { manifestUrl } = await viewer({ 'cf-ipcountry': 'IN' });
    expect((await fetch(manifestUrl)).status).toBe(200);
    const other = await playback.mint(key, videoId);
    expect((await fetch(other.token.manifestUrl, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(other.token.manifestUrl, { method: 'OPTIONS' })).status).toBe(204);
    expect((await counted()).views).toBe(before.views + 1);
    const [row] = await db.sql.query(
      {
        name: 'test-country',
        text: `select views from playback_day where account_id = $1 and dimension = 'country' and value = 'IN' and video_id = $2`,
      },
      [accountId, videoId],
    );
    expect(row).toEqual({ views: 1 });
  });

  it('of a bot is kept apart', async () => {
    const before = await counted();
    await viewer({ 'user-agent': GOOGLEBOT });
    const after = await counted();
    expect(after).toEqual({ ...before, stored: before.stored + 1 });
  });
});

describe('a report', () => {
  it('is taken with 204 and no body, readable from any site, and counted', async () => {
    const { url } = await viewer();
    const before = await counted();
    const answer = await post(url, REPORT);
    expect(answer.status).toBe(204);
    expect(await answer.text()).toBe('');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await counted()).toEqual({ ...before, reported: before.reported + 1, plays: before.plays + 1 });
  });

  it('that is replayed counts once', async () => {
    const { url } = await viewer();
    await post(url, REPORT);
    const before = await counted();
    for (let n = 0; n < 5; n += 1) expect((await post(url, REPORT)).status).toBe(204);
    expect(await counted()).toEqual(before);
  });

  it('needs the grant of its video, and one that has not expired', async () => {
    const { url } = await viewer();
    const other = videoIdOf(newId());
    const before = await counted();
    const forged = url.replace(/\/media\/(.)/, (_, first) => `/media/${first === 'A' ? 'B' : 'A'}`);
    expect((await post(forged, REPORT)).status).toBe(403);
    expect((await post(url.replace(/vid_\w+/, other), REPORT)).status).toBe(403);
    nowEpochSeconds = () => Date.now() / 1_000 + 86_400;
    const expired = await post(url, REPORT);
    nowEpochSeconds = () => Date.now() / 1_000;
    expect(expired.status).toBe(403);
    expect(await expired.json()).toMatchObject({ success: false, error: { code: 'FORBIDDEN', status: 403 } });
    expect(await counted()).toEqual(before);
  });

  it('in test mode needs a stream that has not ended by the test clock', async () => {
    const testId = await new TestModeService(db).accountOf(accountId);
    const { key: testKey } = await new KeyService({ db }).create(testId, { name: 'test' });
    const testVideo = await addVideo(db, testId, { durationMs: 30_000 });
    const move = (seconds: number) =>
      db.transaction(async ({ sql }) => {
        await lockTestAccount(sql, testId);
        await addFact(sql, { accountId: testId, id: newId(), fact: 'CLOCK_MOVED', seconds });
      });
    const began = async () => {
      const { token } = await playback.mint(testKey, testVideo);
      const { url } = await playback.manifest(token.token);
      return new URL('report', url).href;
    };
    await move(8 * 3_600);
    const url = await began();
    expect((await post(url, REPORT)).status).toBe(204);
    await move(6 * 3_600);
    expect((await post(url, REPORT)).status).toBe(204);
    await move(3_600);
    expect((await post(url, REPORT)).status).toBe(403);
    expect((await post(await began(), REPORT)).status).toBe(204);
    // As after a move by a week, which deletes test videos.
    await db.sql.query({ name: 'test-delete', text: 'update video set deleted_at = now() where account_id = $1' }, [
      testId,
    ]);
    expect((await post(url, REPORT)).status).toBe(403);
  });

  it.each([
    ['no JSON', 'x', 400],
    ['nothing', '', 400],
    ['an unknown field', { ...REPORT, more: 1 }, 400],
    ['a negative number', { ...REPORT, watchedMs: -1 }, 400],
    ['deep nesting', '['.repeat(4_000), 400],
    ['bytes that are no text', '\ufffd\u0000', 400],
    ['more than 4 KB', { ...REPORT, more: 'x'.repeat(4_096) }, 413],
  ])('that is %s is refused', async (_, body, status) => {
    const { url } = await viewer();
    const before = await counted();
    expect((await post(url, body)).status).toBe(status);
    expect(await counted()).toEqual(before);
  });

  it('is only posted: other methods and paths are as before', async () => {
    const { url } = await viewer();
    expect((await fetch(url)).status).toBe(404);
    expect((await post(`${url}/x`, REPORT)).status).toBe(405);
    expect((await fetch(url, { method: 'PUT', body: '{}' })).status).toBe(405);
  });

  it('without end is cut off at 4 KB', async () => {
    const { url } = await viewer();
    const socket = connect(port, '127.0.0.1');
    const { pathname } = new URL(url);
    const head = `POST ${pathname} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    // No more than the service reads at once: what it leaves unread would make its kernel reset the connection.
    socket.write(head + `400\r\n${'x'.repeat(1_024)}\r\n`.repeat(5));
    let answer = '';
    socket.on('data', (part) => (answer += part.toString()));
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
  });

  it('whose sender disconnects is forgotten', async () => {
    const { url } = await viewer();
    const before = await counted();
    const req = request(url, { method: 'POST', headers: { 'content-length': '1000' } });
    req.on('error', () => undefined);
    const seen = once(server, 'request');
    req.write(JSON.stringify(REPORT).slice(0, 20));
    const [seenReq] = (await seen) as [IncomingMessage];
    req.destroy();
    // It also emits an error, which `once` would throw.
    await new Promise((resolve) => seenReq.once('close', resolve));
    expect(await counted()).toEqual(before);
  });

  it('comes at most once a second for a view, after a burst of ten', async () => {
    const { url } = await viewer();
    const answers = await Promise.all(Array.from({ length: 15 }, () => post(url, REPORT)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204).length).toBeGreaterThanOrEqual(10);
    expect(statuses).toContain(429);
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('1');
    const { url: other } = await viewer();
    expect((await post(other, REPORT)).status).toBe(204);
  });

  it('is limited for each address, as the trusted proxy tells it', async () => {
    const { url } = await viewer();
    const headers = { 'x-forwarded-for': '10.0.0.1, 198.51.100.9' };
    const forged = url.replace(/\/media\/(.)/, (_, first) => `/media/${first === 'A' ? 'B' : 'A'}`);
    // At once, because the budget grows while a busy machine works through them. A view may send ten in a burst.
    let last = 0;
    for (let n = 0; n < 10 && last !== 429; n += 1) {
      const answers = await Promise.all([
        ...Array.from({ length: 200 }, () => post(forged, '', headers)),
        post(url, REPORT, headers),
      ]);
      last = answers.pop()!.status;
      for (const { status } of answers) expect([403, 429]).toContain(status);
    }
    expect(last).toBe(429);
    expect((await post(url, REPORT, { 'x-forwarded-for': '198.51.100.9, 198.51.100.10' })).status).toBe(204);
  });
});
