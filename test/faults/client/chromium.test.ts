import { spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { listen, type RunningServer } from '../../../src/api/http/server.js';
import type * as Client from '../../../src/client/index.js';
import { installVirtualClock } from '../../../src/db/virtualClock.js';
import { videoIdOf } from '../../../src/domain/shared/ids.js';
import { launchChromium, openPage } from '../../support/browser/browser.js';
import {
  addVideo,
  clockAfterNoon,
  openCustomer,
  type RestService,
  startRestService,
} from '../../support/contract/service.js';

const CLIENT = resolve('dist/client');
const PAGE = '<!doctype html><title>A site</title><script type="module" src="/page.js"></script>';
// A file of its own: vitest reads the files that an error's stack names, and cannot read `/`.
const SCRIPT = `
  import * as client from '/index.js';
  const isClass = (it) => typeof it === 'function' && it.prototype !== undefined;
  const plain = (error) => ({
    classes: Object.entries(client).filter(([, it]) => isClass(it) && error instanceof it).map(([name]) => name),
    ...error,
    name: error.name,
    message: error.message,
  });
  Object.assign(globalThis, { client, plain });
`;
/** What the site itself serves, beside the client's files. */
const FILES: Readonly<Record<string, readonly [type: string, content: string]>> = {
  '/': ['text/html', PAGE],
  '/page.js': ['text/javascript', SCRIPT],
};

/** An error of the client, as the page sees it. */
interface Plain {
  /** The exported classes of which it is an instance. */
  readonly classes: readonly string[];
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly status?: number;
  readonly requestId?: string | null;
  readonly retryAfterSeconds?: number | null;
  readonly rateLimit?: Client.RateLimit | null;
}

/** What the page has. */
interface InPage {
  readonly client: typeof Client;
  readonly plain: (error: unknown) => Plain;
  /** Waits until the site has been asked for this path. */
  readonly untilAsked: (path: string) => Promise<void>;
}

let service: RestService;
let browser: Browser;
let page: Page;
/** The origin of the page. It forwards `/v1`, as the server of a site does for its own pages. */
let site: RunningServer & { url: string };
let key: string;
let videoId: string;
let asked: string[];
/** Whom to tell that the site was asked for a path. */
const waiting = new Map<string, () => void>();
/** The paths whose request the browser has given up. */
let cut: string[];

beforeAll(async () => {
  const built = spawnSync('npm', ['run', 'build', '--', 'client'], { encoding: 'utf8' });
  expect({ status: built.status, stderr: built.stderr }).toMatchObject({ status: 0 });
  service = await startRestService();
  // A quota is one of a UTC day, so no midnight may come.
  await installVirtualClock(service.database.migrationUrl);
  await clockAfterNoon(service);
  const customer = await openCustomer(service);
  key = customer.key;
  for (const title of ['One', 'Two']) await addVideo(service.db, customer.accountId, { title });
  videoId = videoIdOf(await addVideo(service.db, customer.accountId, { title: 'Three' }));
  const running = await listen((req, res) => void answer(req, res), '127.0.0.1', 0);
  site = Object.assign(running, { url: `http://127.0.0.1:${running.port}` });
  browser = await launchChromium();
  ({ page } = await openPage(browser, site.url));
  await page.exposeFunction('untilAsked', (path: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (asked.includes(path)) resolve();
    else waiting.set(path, resolve);
    return promise;
  });
  await page.goto('/');
  await page.waitForFunction(() => 'client' in globalThis);
});
beforeEach(() => {
  asked = [];
  cut = [];
});
afterAll(async () => {
  await browser?.close();
  await site?.stop(1_000);
  await service?.stop();
});

describe('@dhara/client in Chromium, on a page of another origin', () => {
  it('exchanges a token, and throws typed errors with the id of the request', async () => {
    const { token } = await service.playback.mint(key, videoId);
    const found = await page.evaluate(
      async ([baseUrl, given]) => {
        const { client, plain } = globalThis as unknown as InPage;
        const dhara = new client.Dhara({ baseUrl: baseUrl! });
        const { data, rateLimit, requestId } = await dhara.getManifest(given!);
        return { data, rateLimit, requestId, refused: await dhara.getManifest('nonsense').catch(plain) };
      },
      [service.url, token.token],
    );
    expect(found.data).toMatchObject({ videoId, title: 'Three', type: 'application/vnd.apple.mpegurl' });
    expect(found).toMatchObject({ rateLimit: null, requestId: expect.stringMatching(/^[\w-]{8,}$/) as string });
    expect(found.refused).toMatchObject({
      classes: expect.arrayContaining(['DharaApiError', 'DharaError']) as string[],
      name: 'DharaApiError',
      code: 'INVALID_PLAYBACK_TOKEN',
      status: 401,
      requestId: expect.stringMatching(/^[\w-]{8,}$/) as string,
    });
  });

  it('cannot use what needs an API key: the service lets only the manifest be read from other origins', async () => {
    const refused = await page.evaluate(
      ([baseUrl, apiKey, id]) => {
        const { client, plain } = globalThis as unknown as InPage;
        const dhara = new client.Dhara({ baseUrl: baseUrl!, apiKey: apiKey!, maxRetries: 0 });
        return Promise.all(
          [dhara.listVideos(), dhara.getVideo(id!), dhara.createPlaybackToken(id!)].map((call) =>
            call.then(() => null, plain),
          ),
        );
      },
      [service.url, key, videoId],
    );
    for (const error of refused) expect(error).toMatchObject({ name: 'DharaConnectionError' });
  });
});

describe('@dhara/client in Chromium, through the server of its page', () => {
  it('calls every method: lists, iterates, gets, creates a token, exchanges it, and reports the quota', async () => {
    const found = await page.evaluate(
      async ([baseUrl, apiKey, id]) => {
        const { client } = globalThis as unknown as InPage;
        const dhara = new client.Dhara({ baseUrl: baseUrl!, apiKey: apiKey! });
        const titles: string[] = [];
        for await (const video of dhara.videos({ limit: 2, sort: 'title' })) titles.push(video.title);
        const first = await dhara.createPlaybackToken(id!);
        const second = await dhara.createPlaybackToken(id!);
        return {
          titles,
          page: await dhara.listVideos({ limit: 2, sort: 'title', q: 't' }),
          video: await dhara.getVideo(id!),
          first,
          second: second.rateLimit,
          manifest: await dhara.getManifest(second.data.token),
          methods: Object.getOwnPropertyNames(client.Dhara.prototype),
        };
      },
      [site.url, key, videoId],
    );
    expect(found.titles).toEqual(['One', 'Three', 'Two']);
    expect(asked.filter((path) => path.startsWith('/v1/video?limit=2&sort=title'))).toHaveLength(3);
    const requestId = expect.stringMatching(/^[\w-]{8,}$/) as string;
    expect(found.page).toMatchObject({ requestId, rateLimit: null, pagination: { limit: 2, hasMore: false } });
    expect(found.page.data.map(({ title }) => title)).toEqual(['Three', 'Two']);
    expect(found.video).toMatchObject({ requestId, rateLimit: null, data: { id: videoId, title: 'Three' } });
    expect(found.first).toMatchObject({
      requestId,
      data: { token: expect.stringMatching(/^eyJ/) as string, expiresIn: 300 },
      rateLimit: { limit: 1_000, resetAt: expect.any(Date) as Date },
    });
    expect(found.second!.remaining).toBe(found.first.rateLimit!.remaining - 1);
    expect(found.manifest).toMatchObject({ requestId, rateLimit: null, data: { videoId, title: 'Three' } });
    // A method that is added later is called here, too.
    expect(found.methods.toSorted()).toEqual([
      'constructor',
      'createPlaybackToken',
      'getManifest',
      'getVideo',
      'listVideos',
      'videos',
    ]);
  });

  it('throws typed errors for a wrong key, a missing video and a used-up quota', async () => {
    const { accountId, key: small } = await openCustomer(service);
    const own = videoIdOf(await addVideo(service.db, accountId));
    await service.db.pool.query('update api_key set daily_limit = 1 where account_id = $1', [accountId]);
    const [wrongKey, missing, usedUp] = await page.evaluate(
      async ([baseUrl, apiKey, id]) => {
        const { client, plain } = globalThis as unknown as InPage;
        const dhara = new client.Dhara({ baseUrl: baseUrl!, apiKey: apiKey! });
        await dhara.createPlaybackToken(id!);
        return Promise.all([
          new client.Dhara({ baseUrl: baseUrl!, apiKey: 'dk_live_wrong' }).listVideos().then(() => null, plain),
          dhara.getVideo('vid_none').then(() => null, plain),
          dhara.createPlaybackToken(id!).then(() => null, plain),
        ]);
      },
      [site.url, small, own],
    );
    const classes = expect.arrayContaining(['DharaApiError', 'DharaError']) as string[];
    expect(wrongKey).toMatchObject({ classes, code: 'INVALID_API_KEY', status: 401 });
    expect(missing).toMatchObject({ classes, code: 'VIDEO_NOT_FOUND', status: 404, rateLimit: null });
    expect(usedUp).toMatchObject({ classes, code: 'RATE_LIMIT_EXCEEDED', status: 429, rateLimit: { remaining: 0 } });
    // The quota ends at midnight, for which no request waits.
    expect(usedUp!.retryAfterSeconds).toBeGreaterThan(8);
    expect(asked.filter((path) => path.endsWith('/playback-token'))).toHaveLength(2);
  });

  it('retries when the service says', async () => {
    const found = await page.evaluate(
      async ([baseUrl, apiKey, id]) => {
        const { client } = globalThis as unknown as InPage;
        const dhara = new client.Dhara({ baseUrl: `${baseUrl}/away`, apiKey: apiKey! });
        const askedAtMs = performance.now();
        const { data } = await dhara.createPlaybackToken(id!);
        return { videoId: data.videoId, tookMs: performance.now() - askedAtMs };
      },
      [site.url, key, videoId],
    );
    expect(found.videoId).toBe(videoId);
    expect(found.tookMs).toBeGreaterThanOrEqual(1_000);
    expect(asked).toHaveLength(2);
  });

  it('ends a request without a response, one that is aborted, and a pause before a retry', async () => {
    const found = await page.evaluate(
      async ([baseUrl]) => {
        const { client, plain, untilAsked } = globalThis as unknown as InPage;
        const silent = new client.Dhara({ baseUrl: `${baseUrl}/silent`, timeoutMs: 60_000, maxRetries: 1 });
        const late = new client.Dhara({ baseUrl: `${baseUrl}/silent`, timeoutMs: 50, maxRetries: 0 });
        const abortAfter = (happened: Promise<unknown>): AbortSignal => {
          const abort = new AbortController();
          void happened.then(() => abort.abort(new Error('The viewer left')));
          return abort.signal;
        };
        const refused = Promise.withResolvers<void>();
        const busy = new client.Dhara({
          baseUrl: `${baseUrl}/busy`,
          fetch: async (...request) => {
            const res = await fetch(...request);
            // By then the client has read it, and pauses for eight seconds.
            setTimeout(refused.resolve, 20);
            return res;
          },
        });
        return {
          late: await late.getVideo('late').then(() => null, plain),
          aborted: await silent
            .getVideo('aborted', { signal: abortAfter(untilAsked('/silent/v1/video/aborted')) })
            .then(() => null, plain),
          pausing: await busy.getVideo('pausing', { signal: abortAfter(refused.promise) }).then(() => null, plain),
          iterating: await silent
            .videos({}, { signal: abortAfter(untilAsked('/silent/v1/video?limit=100')) })
            .next()
            .then(() => null, plain),
        };
      },
      [site.url],
    );
    const classes = expect.arrayContaining(['DharaTimeoutError', 'DharaConnectionError']) as string[];
    expect(found.late).toMatchObject({ classes, message: 'No response within 50 ms' });
    for (const error of [found.aborted, found.pausing, found.iterating]) {
      expect(error).toMatchObject({ classes: [], message: 'The viewer left' });
    }
    // The browser has closed the connections, too. On a busy machine, 50 ms may end before the site hears of a request.
    const given = ['/silent/v1/video/aborted', '/silent/v1/video?limit=100'];
    await expect.poll(() => cut).toEqual(expect.arrayContaining(given));
    await expect.poll(() => asked.filter((path) => path.startsWith('/silent') && !cut.includes(path))).toEqual([]);
    expect(asked.filter((path) => path.startsWith('/busy'))).toHaveLength(1);
  });
});

describe('verifyWebhook in Chromium', () => {
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const body = JSON.stringify({ type: 'video.ready', data: { title: 'नदी' } });

  function signed(given: string, atMs: number): Record<string, string> {
    const [id, timestamp] = ['evt_1', String(Math.floor(atMs / 1_000))];
    const digest = createHmac('sha256', Buffer.from(given.slice('whsec_'.length), 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64');
    return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${digest}` };
  }

  const verify = (payload: string, headers: Record<string, string>, secrets: string | string[]) =>
    page.evaluate(
      async ([text, fields, given]) => {
        const { client, plain } = globalThis as unknown as InPage;
        const bytes = new TextEncoder().encode(text);
        const ways = [text, bytes].flatMap((form) => [
          client.verifyWebhook(form, fields, given),
          client.verifyWebhook(form, new Headers(fields), given),
        ]);
        const results = await Promise.all(ways.map((way) => way.catch(plain)));
        return [...new Set(results.map((result) => JSON.stringify(result)))].map(
          (result) => JSON.parse(result) as object,
        );
      },
      [payload, headers, secrets] as const,
    );

  it('returns the event of a valid message, by either secret while one is rotated', async () => {
    const other = `whsec_${randomBytes(24).toString('base64')}`;
    const headers = signed(secret, Date.now());
    expect(await verify(body, headers, secret)).toEqual([JSON.parse(body)]);
    expect(await verify(body, headers, [other, secret])).toEqual([JSON.parse(body)]);
  });

  it.each([
    ['another secret', () => [body, signed(`whsec_${randomBytes(24).toString('base64')}`, Date.now())], /signature/],
    ['another body', () => [body.replace('ready', 'failed'), signed(secret, Date.now())], /signature/],
    ['a time ten minutes ago', () => [body, signed(secret, Date.now() - 600_000)], /too old/],
    ['a time ten minutes ahead', () => [body, signed(secret, Date.now() + 600_000)], /too new/],
    ['no signature', () => [body, { ...signed(secret, Date.now()), 'webhook-signature': '' }], /missing/],
  ] as const)('refuses %s', async (_name, message, why) => {
    const [payload, headers] = message() as [string, Record<string, string>];
    expect(await verify(payload, headers, secret)).toEqual([
      expect.objectContaining({
        classes: expect.arrayContaining(['WebhookVerificationError', 'DharaError']) as string[],
        message: expect.stringMatching(why) as string,
      }),
    ]);
  });
});

/** The site: its page, the client, and `/v1`, also as a service that is away, busy or silent. */
async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = req.url ?? '/';
  const [, trouble = '', path = ''] = /^(\/away|\/busy|\/silent)?(\/v1\/.*)$/.exec(url) ?? [];
  if (path === '') {
    const [type, content] = FILES[url] ?? ['text/javascript', await readFile(join(CLIENT, url)).catch(() => '')];
    res.writeHead(200, { 'content-type': type }).end(content);
    return;
  }
  asked.push(url);
  waiting.get(url)?.();
  if (trouble === '/silent') {
    res.once('close', () => cut.push(url));
    return;
  }
  if (trouble === '/busy' || (trouble === '/away' && asked.length === 1)) {
    res.writeHead(503, { 'retry-after': trouble === '/busy' ? '8' : '1' }).end('{}');
    return;
  }
  const headers = { 'x-service-key': String(req.headers['x-service-key']) };
  const answered = await fetch(service.url + path, { method: req.method ?? 'GET', headers });
  const passed = [...answered.headers].filter(([name]) => /^(content-type|retry-after|x-.*)$/.test(name));
  res.writeHead(answered.status, Object.fromEntries(passed)).end(await answered.text());
}
