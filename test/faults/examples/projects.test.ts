import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { findFreePort } from '../../support/freePort.js';
import { accessibilityFaults } from '../../browser/accessibility.js';
import { playedTo } from '../../browser/playing.js';
import { openPage } from '../../support/browser/browser.js';
import { IS_FULL } from '../../support/effort.js';
import { hasPrograms } from '../../support/programs.js';
import { ProjectScene } from './projectScene.js';
import { ExampleSite } from './site.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const EVENT = JSON.stringify({ id: 'evt_1', type: 'video.ready', timestamp: 'now', data: { title: 'Fête 🎬' } });
const HOSTILE_TITLE = `"><script>document.title = 'taken over'</script> & 'Video' $1`;
const PAGE_SIZE = 12;

interface Project {
  readonly name: string;
  /** As the README of the project gives it. */
  readonly command: string;
  readonly canRun: boolean;
}

const PROJECTS: Project[] = [
  { name: 'express', command: 'npm start', canRun: true },
  // Installing and building it takes longer than all of the others.
  { name: 'nextjs', command: 'npm start', canRun: IS_FULL },
  { name: 'php', command: 'php -S localhost:8080 -t public', canRun: hasPrograms(['php'], 'php-cli') },
];

let scene: ProjectScene;
let waitingId: string;
const titles = [
  HOSTILE_TITLE,
  ...Array.from({ length: PAGE_SIZE }, (_, n) => `Video ${n}`),
  'Twenty seconds of colour',
];

beforeAll(async () => {
  scene = await ProjectScene.start();
  for (const title of titles.slice(0, -1)) await scene.addVideo({ title, createdAt: '2026-05-01T00:00:00Z' });
  waitingId = await scene.addVideo({ title: 'Waiting', status: 'queued' });
});
afterAll(() => scene.stop());

async function start({ name, command }: Project, settings: Record<string, string> = {}): Promise<ExampleSite> {
  const port = await findFreePort();
  // PHP takes the port from its command.
  return ExampleSite.start(name, command.replace('8080', String(port)), port, {
    DHARA_URL: scene.url,
    DHARA_KEY: scene.demo.apiKey,
    DHARA_WEBHOOK_SECRET: SECRET,
    ...settings,
  });
}

it.runIf(IS_FULL)('`TEST_FULL=1` runs every project', () => {
  expect(PROJECTS.filter(({ canRun }) => !canRun)).toEqual([]);
});

describe.each(PROJECTS.filter(({ canRun }) => canRun))('the example project $name', (project) => {
  let site: ExampleSite;
  beforeAll(async () => {
    site = await start(project);
  });
  afterAll(() => site.stop());
  afterEach(() => Promise.all(scene.browser.contexts().map((context) => context.close())));

  const videoPath = () => `/videos/${scene.demo.videoId}`;
  const ask = (path: string, method = 'GET') => fetch(site.url + path, { method });

  it('gives this command in its README', async () => {
    const readme = await readFile(`docs/examples/${project.name}/README.md`, 'utf8');
    expect(readme).toMatch(new RegExp(`^(?:[A-Z_]+=\\S+ )*${project.command}$`, 'm'));
  });

  it('lists every ready video once, page by page, and uses no token for it', async () => {
    const before = await scene.used();
    const { page } = await openPage(scene.browser, site.url);
    await page.goto('/');
    const listed = await titlesOn(page);
    expect(listed).toHaveLength(PAGE_SIZE);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'First page' }).waitFor();
    listed.push(...(await titlesOn(page)));
    expect(listed.toSorted()).toEqual(titles.toSorted());
    expect(await page.getByRole('link', { name: 'Next page' }).count()).toBe(0);
    expect(await page.title()).toContain('Videos');
    expect(await page.content()).not.toContain(scene.demo.apiKey);
    expect(await scene.used()).toBe(before);
  });

  it('plays a video with a token that its server creates for this view', async () => {
    const before = await scene.used();
    const { page, complaints } = await openPage(scene.browser, site.url);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(JSON.stringify([request.url(), request.headers()])));
    await page.goto(videoPath());
    expect(await page.title()).toContain('Twenty seconds of colour');
    await page.getByText('views left today').waitFor();
    expect(await scene.used()).toBe(before + 1);
    await page.getByRole('button', { name: 'Play' }).click();
    await playedTo(page, 1);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect(await scene.used()).toBe(before + 1);
    expect(requests.filter((request) => request.includes(scene.demo.apiKey))).toEqual([]);
  });

  it('gives a page that stays open a fresh token', async () => {
    const { page } = await openPage(scene.browser, site.url);
    await page.goto(videoPath());
    await page.waitForFunction(() => document.querySelector('dhara-player')?.tokenProvider);
    const fresh = await page.evaluate(() => document.querySelector('dhara-player')!.tokenProvider!('expired'));
    expect(fresh).not.toBe(await page.locator('dhara-player').getAttribute('token'));
    expect((await fetch(`${scene.demo.url}/v1/video/playback/manifest/${fresh}`)).status).toBe(200);
  });

  it('shows a hostile title as text', async () => {
    const { page } = await openPage(scene.browser, site.url);
    for (let path: string | null = '/'; path !== null;) {
      await page.goto(path);
      const link = page.getByRole('link', { name: HOSTILE_TITLE });
      if (await link.count()) {
        await link.click();
        break;
      }
      path = await page.getByRole('link', { name: 'Next page' }).getAttribute('href');
    }
    await page.getByRole('heading', { name: HOSTILE_TITLE }).waitFor();
    expect(await page.title()).toContain(HOSTILE_TITLE);
  });

  it('responds with 404 for an unknown video or page, and with 409 for a video that is not ready', async () => {
    for (const path of ['/videos/vid_none', '/videos/%00', '/videos/x%2Fy', '/nothing', '/v1/video'])
      expect([path, await failure(await ask(path))]).toMatchObject([path, { status: 404, heading: /not found/i }]);
    expect((await ask('/videos/vid_none/token', 'POST')).status).toBe(404);
    expect(await failure(await ask(`/videos/${waitingId}`))).toMatchObject({ status: 409, heading: 'Not ready yet' });
    expect((await ask('/?cursor=forged')).status).toBe(400);
  });

  it('says that no views are left once the key’s quota is reached', async () => {
    const [page, token, list] = await scene.withoutQuota(async () => [
      await ask(videoPath()),
      await ask(`${videoPath()}/token`, 'POST'),
      await ask('/'),
    ]);
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await failure(page)).toMatchObject({ status: 429, heading: 'No views left today' });
    expect(token.status).toBe(429);
    expect(list.status).toBe(200);
  });

  it('responds with 502 while Dhara is unreachable, and recovers', async () => {
    const responses = await scene.cutOff(async () => [await ask('/'), await ask(videoPath())]);
    for (const response of responses)
      expect(await failure(response)).toMatchObject({ status: 502, heading: 'Videos are unavailable' });
    expect((await ask('/')).status).toBe(200);
  });

  it('logs webhooks that Dhara signed, and refuses wrong, old and early signatures', async () => {
    const id = crypto.randomUUID();
    expect(await hook(site, { id })).toBe(204);
    await expect.poll(() => site.output).toContain('evt_1 video.ready');
    expect(await hook(site, { id, signatures: (right) => `v1,AAAA ${right}` })).toBe(204);

    expect(await hook(site, { id, body: `${EVENT} ` })).toBe(400);
    expect(await hook(site, { id, signatures: () => 'v1,AAAA' })).toBe(400);
    expect(await hook(site, { id, signatures: (right) => right.replace('v1,', 'v2,') })).toBe(400);
    expect(await hook(site, { id, secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' })).toBe(400);
    for (const seconds of [-310, 310]) expect(await hook(site, { id, seconds })).toBe(400);
    expect((await fetch(`${site.url}/hooks`, { method: 'POST', body: EVENT })).status).toBe(400);
    expect(site.output.split('evt_1 video.ready')).toHaveLength(3);
  });

  it.runIf(project.name === 'php')('refuses every webhook while it has no secret', async () => {
    const open = await start(project, { DHARA_WEBHOOK_SECRET: '' });
    try {
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const signature = createHmac('sha256', '').update(`msg_1.${timestamp}.${EVENT}`).digest('base64');
      expect(await post(open, 'msg_1', timestamp, `v1,${signature}`, EVENT)).toBe(400);
    } finally {
      await open.stop();
    }
  });
});

function titlesOn(page: Page): Promise<string[]> {
  return page.locator('main li a span').allTextContents();
}

/** What an error page says. It must be whole, and lead back. */
async function failure(response: Response): Promise<{ status: number; heading: string | undefined }> {
  const text = await response.text();
  expect(text).toContain('<html lang="en">');
  expect(text).toContain('All videos');
  return { status: response.status, heading: /<h1>(.*?)<\/h1>/.exec(text)?.[1] };
}

interface Message {
  readonly id: string;
  /** Of the signature; what is sent is `body`. */
  readonly secret?: string;
  readonly seconds?: number;
  readonly body?: string;
  readonly signatures?: (right: string) => string;
}

/** Posts an event as Dhara does, unless the message says otherwise. Returns the status. */
function hook(site: ExampleSite, message: Message): Promise<number> {
  const { id, secret = SECRET, seconds = 0, body = EVENT, signatures = (right: string) => right } = message;
  const at = new Date(Date.now() + seconds * 1_000);
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  return post(site, id, timestamp, signatures(new Webhook(secret).sign(id, at, EVENT)), body);
}

async function post(site: ExampleSite, id: string, timestamp: string, signatures: string, body: string) {
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures };
  return (await fetch(`${site.url}/hooks`, { method: 'POST', headers, body })).status;
}
