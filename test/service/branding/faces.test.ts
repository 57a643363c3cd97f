import { writeFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import express from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { FfmpegLogoTools } from '../../../src/adapters/transcode/pictures/ffmpegLogoTools.js';
import { BrandService } from '../../../src/domain/media/branding/brand.service.js';
import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { PublishedMedia } from '../../../src/domain/media/library/publishedMedia.js';
import { TranscoderUnavailableError } from '../../../src/ports/transcoder.js';
import { viewerInView } from '../../../src/app/viewerInView.js';
import { createBrandingRouter } from '../../../src/api/uploads/brandingRouter.js';
import type { Client } from '../../support/graphql/client.js';
import { readyVideo } from '../graphql/parents.js';
import { GraphqlService } from '../graphql/service.js';
import { mediaFolder } from '../../support/media.js';
import { pixelsOf, still } from '../../support/branding/logos.js';
import { frameOf } from '../../support/branding/pixels.js';

const BRAND = '{ brand { version logoUrl logoWidth logoHeight position widthPercent marginPercent opacityPercent } }';
const SET = 'mutation ($placement: BrandPlacementInput!) { setBrand(placement: $placement) { version position } }';
const REMOVE = 'mutation { removeBrand }';
const PLACEMENT = { position: 'CENTER', widthPercent: 50, marginPercent: 0, opacityPercent: 100 };
const PREVIEW = '/branding/preview.jpg?position=center&widthPercent=50&marginPercent=0&opacityPercent=100';

let service: GraphqlService;
let server: Server;
let url: string;
let owner: Client;
let other: Client;
let staff: Client;
let red: Buffer;

beforeAll(async () => {
  service = await GraphqlService.start();
  const { brands, identity, ownerViews } = service.services;
  const viewerOf = viewerInView(identity.viewerOf.bind(identity), ownerViews);
  const app = express();
  app.set('query parser', 'simple');
  const logger = pino({ level: 'silent' });
  app.use('/branding', createBrandingRouter({ brands, viewerOf, publicUrl: service.url, logger }));
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  [owner, other] = [await service.signedIn('owner@example.com'), await service.signedIn('other@example.com')];
  staff = await service.signedIn('staff@example.com', 'support');
  red = await still('color=red:s=64x32');
});
afterAll(async () => {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
  await service.stop();
});

function send(client: Client, body: Uint8Array, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/branding/logo`, {
    method: 'PUT',
    headers: { cookie: client.cookie, ...headers },
    body: Buffer.from(body),
  });
}

function get(client: Client, path: string): Promise<Response> {
  return fetch(url + path, { headers: { cookie: client.cookie } });
}

/** Sends chunks without a length. Returns the status that comes while they are sent. */
function sendEndlessly(parts: Readable): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/branding/logo`, { method: 'PUT', headers: { cookie: owner.cookie } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
    parts.pipe(sent);
  });
}

/** A portrait video of the owner, with a green poster. */
async function portraitWithPoster(): Promise<string> {
  await using folder = await mediaFolder();
  const uuid = await readyVideo(service, owner.accountId);
  const token = 'a'.repeat(22);
  const posterPath = `media/posters/${owner.accountId}/${videoIdOf(uuid)}/${token}.jpg`;
  const prefix = `videos/${owner.accountId}/${uuid}/1-1/`;
  await service.rows(
    'update video set poster_path = $2, pictures_prefix = $3, width = 360, height = 640 where id = $1 returning id',
    [uuid, posterPath, prefix],
  );
  const green = join(folder.path, 'green.jpg');
  await writeFile(green, await still('color=0x00ff00:s=360x640', 'poster.jpg'));
  await service.services.store.putFile(`${prefix}poster.jpg`, green);
  return uuid;
}

async function codeOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { code: string; status: number } };
  expect(error.status).toBe(response.status);
  return error.code;
}

describe('the logo over HTTP and GraphQL', () => {
  it('is uploaded, read, placed and removed by its owner, and hidden from everybody else', async () => {
    expect(await owner.data(BRAND)).toEqual({ brand: null });
    expect(await owner.code(SET, { placement: PLACEMENT })).toBe('BRAND_MISSING');
    const sent = await send(owner, red);
    expect([sent.status, await sent.json()]).toEqual([200, { success: true, data: { version: 1 } }]);

    const { brand } = await owner.data(BRAND);
    expect(brand).toMatchObject({ version: 1, logoWidth: 64, logoHeight: 32, position: 'TOP_RIGHT', widthPercent: 15 });
    const logo = await get(owner, brand.logoUrl);
    expect(logo.headers.get('content-type')).toBe('image/png');
    expect(logo.headers.get('x-content-type-options')).toBe('nosniff');
    expect(logo.headers.get('content-security-policy')).toContain('sandbox');
    expect(logo.headers.get('cache-control')).toContain('private');
    const png = new Uint8Array(await logo.arrayBuffer());
    expect((await pixelsOf({ png, width: 64, height: 32 }))(30, 15)[0]).toBeGreaterThan(250);

    const { setBrand } = await owner.data(SET, { placement: PLACEMENT });
    expect(setBrand).toEqual({ version: 2, position: 'CENTER' });
    expect(await owner.code(SET, { placement: { ...PLACEMENT, widthPercent: 51 } })).toBe('INVALID_INPUT');

    for (const stranger of [other, staff]) {
      expect(await stranger.data(BRAND)).toEqual({ brand: null });
      expect(await codeOf(await get(stranger, brand.logoUrl))).toBe('NOT_FOUND');
      expect(await codeOf(await get(stranger, PREVIEW))).toBe('BRAND_MISSING');
      await stranger.data(REMOVE);
    }
    expect((await owner.data(BRAND)).brand.version).toBe(2);
    await owner.data(REMOVE);
    expect(await owner.data(BRAND)).toEqual({ brand: null });
    expect(await codeOf(await get(owner, brand.logoUrl))).toBe('NOT_FOUND');
  });

  it('requires a session, an account that is not suspended, and a page of the service', async () => {
    const { nobody } = service;
    expect(await nobody.code(BRAND)).toBe('UNAUTHENTICATED');
    expect(await nobody.code(SET, { placement: PLACEMENT })).toBe('UNAUTHENTICATED');
    expect(await nobody.code(REMOVE)).toBe('UNAUTHENTICATED');
    expect(await codeOf(await send(nobody, red))).toBe('UNAUTHENTICATED');
    expect(await codeOf(await get(nobody, PREVIEW))).toBe('UNAUTHENTICATED');
    expect(await codeOf(await get(nobody, `/branding/logo/${'0'.repeat(64)}.png`))).toBe('UNAUTHENTICATED');

    expect(await codeOf(await send(owner, red, { origin: 'https://evil.example' }))).toBe('FORBIDDEN');
    expect(await codeOf(await send(owner, red, { 'sec-fetch-site': 'cross-site' }))).toBe('FORBIDDEN');
    expect((await send(owner, red, { origin: service.url })).status).toBe(200);

    await service.rows('update account set suspended_at = now() where id = $1', [owner.accountId]);
    try {
      expect(await owner.code(SET, { placement: PLACEMENT })).toBe('ACCOUNT_SUSPENDED');
      expect(await owner.code(REMOVE)).toBe('ACCOUNT_SUSPENDED');
      expect(await codeOf(await send(owner, red))).toBe('ACCOUNT_SUSPENDED');
      expect(await codeOf(await get(owner, PREVIEW))).toBe('ACCOUNT_SUSPENDED');
      expect((await owner.data(BRAND)).brand).not.toBeNull();
    } finally {
      await service.rows('update account set suspended_at = null where id = $1', [owner.accountId]);
    }
  });

  it('is shown to staff in a view of the account, as long as that lasts, and cannot be changed', async () => {
    await send(owner, red);
    const { brand } = await owner.data(BRAND);
    await staff.data('mutation ($of: ID!) { viewAsOwner(accountId: $of, reason: "ticket") { id } }', {
      of: owner.accountId,
    });
    expect((await get(staff, brand.logoUrl)).status).toBe(200);
    expect(await codeOf(await send(staff, red))).toBe('VIEW_READ_ONLY');
    expect(await codeOf(await get(staff, PREVIEW))).toBe('VIEW_READ_ONLY');
    await service.rows(`update staff_view set started_at = now() - interval '1 hour', ends_at = now() - interval '1 second'`); // prettier-ignore
    expect(await codeOf(await get(staff, brand.logoUrl))).toBe('VIEW_ENDED');
    await staff.data('mutation { endOwnerView }');
    expect(await codeOf(await get(staff, brand.logoUrl))).toBe('NOT_FOUND');
  });

  it('is refused with a clear message if it is no PNG or SVG, or too large', async () => {
    const refused = await send(owner, Buffer.from('GIF89a and so on'));
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { code: 'INVALID_INPUT', message: 'This is a GIF file. A logo is a PNG or SVG file.' } },
    ]);
    expect(await codeOf(await send(owner, Buffer.alloc(1_000_001)))).toBe('FILE_TOO_LARGE');
    // A body without a length is counted as it comes.
    const parts = Readable.from(Array.from({ length: 20 }, () => Buffer.alloc(100_000)));
    expect(await sendEndlessly(parts)).toBe(413);
    const headers = { cookie: owner.cookie };
    expect((await fetch(`${url}/branding/logo`, { method: 'POST', headers, body: 'x' })).status).toBe(404);
  });
});

describe('the preview of the logo', () => {
  it('shows it over a card, and over the poster of an own video in its aspect ratio', async () => {
    await send(owner, red);
    await using folder = await mediaFolder();
    const card = join(folder.path, 'card.jpg');
    await writeFile(card, new Uint8Array(await (await get(owner, PREVIEW)).arrayBuffer()));
    const onCard = await frameOf(folder.path, card, { width: 1280, height: 720 });
    const [r, g] = onCard.at(640, 360);
    expect(r).toBeGreaterThan(240);
    expect(g).toBeLessThan(20);
    // The logo is 640 wide and 320 high, in the middle of a card that is dark on one side and light on the other.
    expect(onCard.at(310, 190)[0]).toBeLessThan(140);
    expect(onCard.at(970, 530)[1]).toBeGreaterThan(120);

    const uuid = await portraitWithPoster();
    const drawn = await get(owner, `${PREVIEW}&video=${uuid}`);
    expect(drawn.headers.get('content-type')).toBe('image/jpeg');
    const portrait = join(folder.path, 'portrait.jpg');
    await writeFile(portrait, new Uint8Array(await drawn.arrayBuffer()));
    const onVideo = await frameOf(folder.path, portrait, { width: 720, height: 1280 });
    expect(onVideo.at(360, 640)[0]).toBeGreaterThan(240);
    expect(onVideo.at(360, 800)).toMatchObject([expect.any(Number), 255, expect.any(Number)]);

    expect(await codeOf(await get(owner, `${PREVIEW}&video=vid_nonsense`))).toBe('VIDEO_NOT_FOUND');
    await send(other, red);
    expect(await codeOf(await get(other, `${PREVIEW}&video=${uuid}`))).toBe('VIDEO_NOT_FOUND');
  });

  it.each(['', '?position=center', `${PREVIEW.slice(21)}&opacityPercent=1000`, '?position=center&widthPercent=5e1'])(
    'refuses invalid parameters: %s',
    async (query) => {
      expect(await codeOf(await get(owner, `/branding/preview.jpg${query}`))).toBe('INVALID_INPUT');
    },
  );

  it('closes every poster, whether it is drawn, refused or fails', async () => {
    await send(owner, red);
    const videoId = await portraitWithPoster();
    const { db, store } = service.services;
    const opened: Readable[] = [];
    const counting = {
      get: async (key: string) => {
        const found = await store.get(key);
        if (found) opened.push(found.body);
        return found;
      },
    };
    const tools = new FfmpegLogoTools({ searchPath: process.env['PATH']!, mustConfine: false });
    const media = new PublishedMedia(db.sql);
    const brands = new BrandService({ db, store: counting, media, tools });
    const placement = { ...PLACEMENT, position: 'center' } as const;
    const previews = Array.from({ length: 40 }, () => brands.preview(owner.accountId, placement, videoId));
    const refused = (await Promise.allSettled(previews)).filter(({ status }) => status === 'rejected');
    expect(refused).not.toEqual([]);
    for (const answer of refused) expect(answer).toMatchObject({ reason: { code: 'RATE_LIMIT_EXCEEDED' } });
    expect(opened).toHaveLength(40 - refused.length);

    const away = (): Promise<never> => Promise.reject(new TranscoderUnavailableError('no ffmpeg'));
    const noTools = { normaliseLogo: away, drawBrand: away };
    const broken = new BrandService({ db, store: counting, media, tools: noTools });
    await expect(broken.preview(owner.accountId, placement, videoId)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(opened.filter(({ destroyed }) => !destroyed)).toEqual([]);
  });

  it('is drawn one at a time per account', async () => {
    const answers = await Promise.all([get(owner, PREVIEW), get(owner, PREVIEW), get(other, PREVIEW)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 429]);
    expect((await get(owner, PREVIEW)).status).toBe(200);
  });
});
