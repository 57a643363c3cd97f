import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';

import express from 'express';
import helmet from 'helmet';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { createDashboardRouter } from '../../../src/api/http/dashboardFiles.js';

const SCRIPT = 'export const volumes = 7;\n';
const PRELOADS = {
  '/wallet': ['/assets/main-1.js', '/assets/wallet-1.css'],
  '/videos/:id': ['/assets/video-1.js'],
  '*': ['/assets/main-1.js'],
};
let folder: string;
let server: Server;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dhara-dashboard-'));
  await mkdir(join(folder, 'assets'));
  await mkdir(join(folder, 'schemas', 'events'), { recursive: true });
  await writeFile(join(folder, 'schemas', 'events', 'video.ready.v1.json'), '{"title":"video.ready"}');
  await writeFile(join(folder, 'index.html'), '<!doctype html>');
  await writeFile(join(folder, 'sign-in.html'), '<!doctype html>Sign in');
  await writeFile(join(folder, 'preloads.json'), JSON.stringify(PRELOADS));
  await writeFile(join(folder, 'assets', 'plain-1.js'), SCRIPT);
  await writeFile(join(folder, 'assets', 'page-1.js'), SCRIPT);
  await writeFile(join(folder, 'assets', 'page-1.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(join(folder, 'assets', 'page-1.js.gz'), gzipSync(SCRIPT));
  server = createServer(express().use(helmet(), createDashboardRouter(folder)));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterAll(async () => {
  server?.close();
  await rm(folder, { recursive: true, force: true });
});

it.each([
  ['br', 'br', (body: Buffer) => brotliDecompressSync(body)],
  ['gzip', 'gzip', (body: Buffer) => gunzipSync(body)],
  ['gzip, deflate, br', 'br', (body: Buffer) => brotliDecompressSync(body)],
  ['identity', undefined, (body: Buffer) => body],
] as const)('a script is sent in the encoding that a client accepts: %s', async (accepted, encoding, read) => {
  const { status, headers, body } = await get('/assets/page-1.js', accepted);
  expect([status, headers['content-encoding'], headers['vary']]).toEqual([200, encoding, 'Accept-Encoding']);
  expect(headers['content-type']).toMatch(/^text\/javascript; charset=utf-8/i);
  expect(headers['cache-control']).toContain('immutable');
  expect(read(body).toString()).toBe(SCRIPT);
});

it('only pages carry the headers that are for pages', async () => {
  const page = await get('/wallet', 'br');
  const script = await get('/assets/page-1.js', 'br');
  expect(page.headers['content-security-policy']).toContain("default-src 'self'");
  expect(page.headers['x-frame-options']).toBe('SAMEORIGIN');
  expect(script.headers['x-content-type-options']).toBe('nosniff');
  expect(script.headers['cross-origin-resource-policy']).toBe('same-origin');
  expect(JSON.stringify(script.headers).length).toBeLessThan(600);
  expect(Object.keys(script.headers).filter((name) => /^(content-security|x-frame|referrer|x-xss)/.test(name))).toEqual(
    [],
  );
});

it('an uncompressed script is sent as it is, and a missing one is not replaced by a page', async () => {
  const plain = await get('/assets/plain-1.js', 'br');
  expect([plain.status, plain.headers['content-encoding'], plain.body.toString()]).toEqual([200, undefined, SCRIPT]);
  for (const path of ['/assets/none-1.js', '/assets/../index.html.js', '/assets/..%2findex.js']) {
    expect((await get(path, 'br')).body.toString()).not.toBe('<!doctype html>');
    expect((await get(path, 'br')).headers['content-encoding']).toBeUndefined();
  }
});

it.each([
  ['/sign-in', '<!doctype html>Sign in'],
  ['/sign-up', '<!doctype html>'],
  ['/', '<!doctype html>'],
])('%s is a page that is revalidated each time', async (path, page) => {
  const { status, headers, body } = await get(path, 'br');
  expect([status, headers['cache-control'], body.toString()]).toEqual([200, 'no-cache', page]);
});

it.each([
  ['/wallet', '</assets/main-1.js>; rel=modulepreload, </assets/wallet-1.css>; rel=preload; as=style; crossorigin'],
  ['/videos/vid_abc', '</assets/video-1.js>; rel=modulepreload'],
  ['/videos/bin', '</assets/main-1.js>; rel=modulepreload'],
  ['/constructor', '</assets/main-1.js>; rel=modulepreload'],
])('%s names the files that the page loads', async (path, link) => {
  expect((await get(path, 'br')).headers['link']).toBe(link);
});

it('schemas are read from pages of any site, and nothing else is', async () => {
  const path = '/schemas/events/video.ready.v1.json';
  const { status, headers, body } = await get(path, 'identity');
  expect([status, headers['access-control-allow-origin'], headers['cross-origin-resource-policy']]).toEqual([
    200,
    '*',
    'cross-origin',
  ]);
  expect(body.toString()).toBe('{"title":"video.ready"}');
  const missing = await get(path.replace('v1', 'v2'), 'identity');
  expect([missing.status, missing.headers['access-control-allow-origin']]).toEqual([404, undefined]);
  for (const page of ['/', '/preloads.json']) {
    expect((await get(page, 'identity')).headers['access-control-allow-origin']).toBeUndefined();
  }
});

it('a build without a list of files, and one whose list cannot be read, have pages all the same', async () => {
  const list = join(folder, 'preloads.json');
  await rm(list);
  const without = await get('/wallet', 'br');
  await writeFile(list, '{');
  const broken = await get('/wallet', 'br');
  await writeFile(list, JSON.stringify(PRELOADS));
  for (const { status, headers } of [without, broken]) expect([status, headers['link']]).toEqual([200, undefined]);
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Keeps the response compressed, which `fetch` would decompress. */
function get(path: string, encodings: string): Promise<Answer> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path, headers: { 'accept-encoding': encodings } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });
}
