import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openApiDocument } from '../../../src/api/rest/docs/openapi.js';
import type { Operation } from '../../../src/api/rest/docs/openapiTypes.js';
import { installVirtualClock, setClockOffset } from '../../../src/db/virtualClock.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { type Call, call } from '../../support/contract/client.js';
import {
  addVideo,
  openCustomer,
  PUBLIC_URL,
  type RestService,
  startRestService,
} from '../../support/contract/service.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { query } from '../../support/database/query.js';
import { CuttableProxy } from '../../support/uploads/cuttableProxy.js';

/** The id of the video in every recording. */
const VIDEO = '0192f4a1-7c3e-7d58-9b1e-3f6a2c8d5e90';
const PLAYBACK = '/v1/video/playback/manifest';
const token = (videoId: string): string => `/v1/video/${videoId}/playback-token`;

let database: TestDatabase;
/** The service's connection to the database, to be cut. */
let way: CuttableProxy;
let service: RestService;
beforeAll(async () => {
  database = await createTestDatabase();
  way = await CuttableProxy.to(database.runtimeUrl);
  service = await startRestService({ database: { ...database, runtimeUrl: way.url } });
  await installVirtualClock(database.migrationUrl);
});
afterAll(async () => {
  await service.stop();
  await way.close();
  await database.drop();
});

type Recorded = Record<string, { value: unknown }>;
type OperationId = 'listVideos' | 'getVideo' | 'createPlaybackToken' | 'getManifest';

async function execute(text: string, values: unknown[] = []): Promise<void> {
  await service.db.pool.query(text, values);
}

/** The account in the recorded responses, with one finished video. */
async function openLibrary(): Promise<{ accountId: string; key: string }> {
  const customer = await openCustomer(service);
  const { accountId } = customer;
  await addVideo(service.db, accountId, {
    id: VIDEO,
    title: 'Product tour',
    tags: ['tour', 'public'],
    posterPath: `media/posters/${VIDEO}.jpg`,
    playableRungs: ['audio', '480p', '720p'],
    createdAt: '2026-05-04T09:30:00.000Z',
  });
  await execute(
    `update video set description = 'What Dhara does, in a minute and a half.', metadata = '{"courseId":"42"}',
       quality = '720p', width = 1280, height = 720, size_bytes = 21840012,
       ready_at = '2026-05-04T09:32:11.480Z', updated_at = '2026-05-04T09:32:11.480Z' where id = $1`,
    [VIDEO],
  );
  const renditions = [
    ['audio', null, null, 131_200, 'mp4a.40.2', 1_484_000],
    ['480p', 854, 480, 1_142_000, 'avc1.64001f', 9_310_200],
    ['720p', 1280, 720, 2_486_000, 'avc1.640020', 19_870_400],
  ];
  for (const rendition of renditions) {
    await execute(
      `insert into rendition (account_id, video_id, quality, width, height, bitrate, average_bitrate, codecs, size_bytes,
         path, prefix) values ($1, $2, $3, $4, $5, $6, $6, $7, $8, 'index.m3u8', 'videos/x/')`,
      [accountId, VIDEO, ...rendition],
    );
  }
  return customer;
}

/** Records the body of the response under its error code, or `success`. */
async function record(into: Recorded, path: string, options: Call = {}): Promise<{ readonly value: unknown }> {
  const { body } = await call(service, path, options);
  const name = body.success ? 'success' : (body.error.code as string);
  expect(Object.keys(into)).not.toContain(name);
  into[name] = { value: withoutChance(body) };
  return { value: body };
}

/** Replaces tokens, grants and times, which differ in every run, by readable constants. */
function withoutChance(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body)
      .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ2aWRfLi4uIn0.c2lnbmF0dXJl')
      .replaceAll(/\/media\/[\w.~-]+\/vid_/g, '/media/GRANT/vid_')
      .replaceAll(/"expiresAt":"[^"]+"/g, '"expiresAt":"2026-05-04T10:05:00.000Z"'),
  );
}

describe('the examples of the OpenAPI document', () => {
  it('are real responses; record them by `npm test -- test/service/contract/examples.test.ts --update`', async () => {
    const { accountId, key } = await openLibrary();
    const found: Record<OperationId, Recorded> = {
      listVideos: {},
      getVideo: {},
      createPlaybackToken: {},
      getManifest: {},
    };
    const suspended = await openCustomer(service);
    await execute('update api_key set suspended = true where account_id = $1', [suspended.accountId]);

    await record(found.listVideos, '/v1/video?limit=1', { key });
    await record(found.listVideos, '/v1/video?limit=1000', { key });
    await record(found.getVideo, `/v1/video/${VIDEO}`, { key });
    await record(found.getVideo, `/v1/video/${VIDEO}?fields=title`, { key });
    await record(found.getVideo, `/v1/video/${newId()}`, { key });
    for (const [recorded, path] of [
      [found.listVideos, '/v1/video'],
      [found.getVideo, `/v1/video/${VIDEO}`],
    ] as const) {
      await record(recorded, path, { key: 'dk_live_unknown' });
      await record(recorded, path, { key: suspended.key });
      await record(recorded, path, { key, method: 'PUT' });
    }

    const minted = await record(found.createPlaybackToken, token(VIDEO), { key, method: 'POST' });
    const unready = await addVideo(service.db, accountId, { status: 'queued' });
    await record(found.createPlaybackToken, `${token(VIDEO)}?ttl=60`, { key, method: 'POST' });
    await record(found.createPlaybackToken, token(newId()), { key, method: 'POST' });
    await record(found.createPlaybackToken, token(unready), { key, method: 'POST' });
    await record(found.createPlaybackToken, token(VIDEO), { key: 'dk_live_unknown', method: 'POST' });
    await record(found.createPlaybackToken, token(VIDEO), { key: suspended.key, method: 'POST' });
    await record(found.createPlaybackToken, token(VIDEO), { key, method: 'GET' });
    await execute('update api_key set used = daily_limit where account_id = $1', [accountId]);
    await record(found.createPlaybackToken, token(VIDEO), { key, method: 'POST' });

    const { token: first } = (minted.value as { data: { token: string } }).data;
    await record(found.getManifest, `${PLAYBACK}/${first}`);
    await record(found.getManifest, `${PLAYBACK}/${first}?quality=720p`);
    await record(found.getManifest, `${PLAYBACK}/not-a-token`);
    await record(found.getManifest, `${PLAYBACK}/${first}`, { method: 'PUT' });
    await execute(`update account set allowed_domains = '{shop.example}' where id = $1`, [accountId]);
    await record(found.getManifest, `${PLAYBACK}/${first}`, { headers: { origin: 'https://elsewhere.example' } });
    await execute(`update account set allowed_domains = '{}' where id = $1`, [accountId]);
    await setClockOffset(service.database.migrationUrl, 301_000);
    await record(found.getManifest, `${PLAYBACK}/${first}`);
    await setClockOffset(service.database.migrationUrl, 0);
    await execute(`update video set status = 'queued', playable_rungs = '{}' where id = $1`, [VIDEO]);
    await record(found.getManifest, `${PLAYBACK}/${first}`);
    await execute('update account set suspended_at = now() where id = $1', [accountId]);
    await record(found.getManifest, `${PLAYBACK}/${first}`);
    await execute('update account set suspended_at = null where id = $1', [accountId]);
    await execute('update video set deleted_at = now() where id = $1', [VIDEO]);
    await record(found.getManifest, `${PLAYBACK}/${first}`);

    const ofEach: [OperationId, string, Call][] = [
      ['listVideos', '/v1/video', { key }],
      ['getVideo', `/v1/video/${VIDEO}`, { key }],
      ['createPlaybackToken', token(VIDEO), { key, method: 'POST' }],
      ['getManifest', `${PLAYBACK}/${first}`, {}],
    ];
    await query(database.migrationUrl, 'alter table api_key rename to api_key_away');
    for (const [operation, path, options] of ofEach) await record(found[operation], path, options);
    await query(database.migrationUrl, 'alter table api_key_away rename to api_key');
    way.cut();
    for (const [operation, path, options] of ofEach) await record(found[operation], path, options);
    way.mend();

    await expect(
      '/** Recorded by test/service/contract/examples.test.ts: real responses of every operation. */\n' +
        `export const EXAMPLES = ${JSON.stringify(found, null, 2)};\n`,
    ).toMatchFileSnapshot('../../../src/api/rest/docs/generated/examples.ts');
  });

  it('cover the success and every error of each operation, with their status', () => {
    for (const operation of operationsOf()) {
      for (const [status, { content, description }] of Object.entries(operation.responses)) {
        if (status === '304') continue;
        const examples = content!['application/json']!.examples!;
        const codes =
          status === '200' ? ['success'] : [...description.matchAll(/`([A-Z_]+)`: /g)].map(([, code]) => code);
        expect(Object.keys(examples)).toEqual(codes);
        for (const [code, { value }] of Object.entries(examples)) {
          if (status === '200') expect(value).toMatchObject({ success: true });
          else expect(value).toMatchObject({ success: false, error: { code, status: Number(status) } });
        }
      }
    }
  });
});

function operationsOf(): Operation[] {
  return Object.values(openApiDocument(PUBLIC_URL).paths).flatMap((methods) => Object.values(methods));
}
