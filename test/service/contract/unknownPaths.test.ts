import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Router } from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { deriveKey } from '../../../src/domain/shared/secrets/masterKey.js';
import { createHttpApp } from '../../../src/api/http/httpApp.js';
import { listen, type RunningServer } from '../../../src/api/http/server.js';
import { createRestRouter } from '../../../src/api/rest/router.js';
import { PUBLIC_URL, type RestService, startRestService } from '../../support/contract/service.js';

const PAGE = '<!doctype html>The dashboard';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
let rest: RestService;
let folder: string;
let server: RunningServer;

beforeAll(async () => {
  rest = await startRestService();
  folder = await mkdtemp(join(tmpdir(), 'dhara-pages-'));
  await writeFile(join(folder, 'index.html'), PAGE);
  const cursorKey = deriveKey(rest.masterKey, 'list-cursor');
  const app = createHttpApp({
    logger: pino({ level: 'silent' }),
    publicUrl: PUBLIC_URL,
    trustProxies: 0,
    checkReady: () => Promise.resolve(),
    rest: createRestRouter({ db: rest.db, playback: rest.playback, publicUrl: PUBLIC_URL, cursorKey }),
    delivery: { router: Router() },
    uploads: Router(),
    graphql: Router(),
    identity: Router(),
    dashboardDir: folder,
    playerDir: folder,
  });
  server = await listen(app, '127.0.0.1', 0);
});
afterAll(async () => {
  await server?.stop(100);
  await rest?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Answer {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly requestId: string | string[] | undefined;
  readonly body: string;
}

/** Sends the path as it is, which `fetch` would normalize. */
function ask(path: string, accept: string | undefined, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = accept === undefined ? {} : { accept };
    request({ host: '127.0.0.1', port: server.port, path, method, headers }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => (body += text));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode,
          type: answer.headers['content-type'],
          requestId: answer.headers['x-request-id'],
          body,
        }),
      );
    })
      .on('error', reject)
      .end();
  });
}

function expectJson404(answer: Answer): void {
  expect(answer).toMatchObject({ status: 404, type: 'application/json; charset=utf-8' });
  expect(answer.requestId).toMatch(/^[\w-]{36}$/);
  expect(JSON.parse(answer.body)).toEqual({
    success: false,
    error: { code: 'NOT_FOUND', message: 'Endpoint not found.', status: 404 },
  });
}

it.each([
  '//v1/video',
  '///v1//video',
  '/V1/video',
  '/v1',
  '/v1/',
  '/v1/videos',
  '/v1//video',
  '/v1/Video',
  '/v2',
  '/v2/x',
  '/V10/video',
  '/api',
  '/api/v1/video',
  '/API/V1/video',
  '/metrics',
  '/healthz/x',
  '/readyz/x',
  '/health',
  '//api/v1/video',
  '/%76%31/video',
  '/%2576%2531/video',
  '/v1%2Fvideo',
  '/v1%5Cvideo',
  '/v1\\video',
  '/%2F/v1/video',
  '/./v1/video',
  '/%20/v1/video',
  '/%ff',
  '/v1/%ff',
  '/V1/%',
  '/%zz/v1',
  '/.well-known/security.txt',
  '//.well-known/jwks.json',
  '/.well-known',
  '/GraphQL',
  '/graphql/x',
  '/rest/video',
  '/swagger.json',
  '/openapi.yaml',
  '/robots.txt',
  '/wp-login.php',
  '/v2/x?limit=1',
  'http://video.example/v2/x',
])('%s returns 404 in JSON, to browsers too', async (path) => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    for (const accept of [BROWSER, 'application/json', '*/*', undefined]) {
      expectJson404(await ask(path, accept, method));
    }
  }
  expect((await ask(path, BROWSER, 'HEAD')).status).toBe(404);
  expect((await ask(path, BROWSER, 'OPTIONS')).status).toBe(404);
});

it.each(['application/json', 'application/json, text/plain, */*', 'application/*', 'image/png', 'text/html;q=0, */*'])(
  'an unknown path requested as %s returns 404 in JSON',
  async (accept) => {
    for (const path of ['/', '/anything', '/videos/vid_1', '/a/b/c']) expectJson404(await ask(path, accept));
  },
);

it.each([BROWSER, 'text/html', '*/*', undefined])('a page requested as %s is the dashboard', async (accept) => {
  for (const path of ['/', '/anything', '/videos/vid_1', '/vid/v1', '/version', '/v', '/apiary', '/a.b', '//home']) {
    expect(await ask(path, accept)).toMatchObject({ status: 200, body: PAGE });
  }
});

it('an absolute address is handled like its path', async () => {
  expect((await ask('http://video.example/v1/video', undefined)).status).toBe(401);
  expect((await ask('http://video.example/home', BROWSER)).body).toBe(PAGE);
});
