import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';

import type { Page } from 'playwright-core';
import { parseSync } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Scene } from './scene.js';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const ENGLISH = join(ROOT, 'src/dashboard/words/en');

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ACCENTED = 'àƀćđèƒĝĥìĵķļɱñòþɋřšţùṽŵẋýžÀƁĆĐÈƑĜĤÌĴĶĻṀÑÒÞɊŘŠŢÙṼŴẊÝŽ';

/** Three words in a row of plain letters. Names, codes and units are shorter. */
const ENGLISH_SENTENCE = /\b[A-Za-z]{2,}[,:]? [a-z]{2,}[,:]? [a-z]{2,}\b/;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Accents every text in a module of words; its code stays, and its imports find their modules from anywhere. */
function translate(file: string, source: string): string {
  const edits: { start: number; end: number; text: string }[] = [];

  function visit(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) return value.forEach(visit);
    const node = value as Node;
    if (node.type === 'ImportDeclaration') {
      const from = node['source'] as Node & { value: string };
      if (from.value.startsWith('.') && from.value !== './counted.js')
        edits.push({ ...from, text: `'${resolve(ENGLISH, from.value).replace(/\.js$/, '.ts')}'` });
      return;
    }
    // What is compared or looked up is not read by anyone.
    if (node.type === 'BinaryExpression') return;
    if (node.type === 'Property') return visit(node['value']);
    const isText = node.type === 'TemplateElement' || (node.type === 'Literal' && typeof node['value'] === 'string');
    if (isText) edits.push({ ...node, text: accented(source.slice(node.start, node.end)) });
    else Object.values(node).forEach(visit);
  }

  visit(parseSync(file, source).program);
  let text = source;
  for (const edit of edits.sort((a, b) => b.start - a.start))
    text = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
  return text;
}

/** Each letter gets an accent, so that a word without one is English. */
function accented(text: string): string {
  return text.replace(/[a-zA-Z]/g, (letter) => ACCENTED.charAt(PLAIN.indexOf(letter)));
}

/** The dashboard with words of another language: a made-up one, whose words are the English ones with accents. */
export function theSecondLanguage(scene: () => Scene): void {
  describe('a second language', () => {
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'dhara-words-'));
      const words = join(folder, 'words');
      await mkdir(words);
      for (const path of globSync('*.ts', { cwd: ENGLISH }).map((name) => join(ENGLISH, name))) {
        const translated = translate(path, await readFile(path, 'utf8'));
        const text =
          basename(path) === 'formats.ts' ? translated.replace(/language: '.*?'/, `language: 'hi'`) : translated;
        await writeFile(join(words, basename(path)), text);
      }
      const vite = ['node_modules/vite/bin/vite.js', 'build', '--config', 'src/dashboard/vite.config.ts'];
      const env = { ...process.env, DASHBOARD_WORDS: words };
      await run(process.execPath, [...vite, '--outDir', join(folder, 'built'), '--logLevel', 'warn'], {
        cwd: ROOT,
        env,
      });
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    /** The service's answers, and the pages and scripts of the other build. */
    async function serve(page: Page): Promise<void> {
      await page.route('**/*', async (route) => {
        const { pathname } = new URL(route.request().url());
        if (pathname.startsWith('/assets/')) return route.fulfill({ path: join(folder, 'built', pathname) });
        if (route.request().resourceType() !== 'document') return route.continue();
        const name = pathname === '/sign-in' ? 'sign-in.html' : 'index.html';
        return route.fulfill({ path: join(folder, 'built', name) });
      });
    }

    it.for([
      ['/', 'Home'],
      ['/keys', 'API keys'],
      ['/settings', 'Settings'],
      ['/upload', 'Upload'],
    ])('is a folder of words: %s has no English sentence', async ([path = '', title = '']) => {
      const { page, complaints } = await scene().openWindow('/favicon.svg');
      await serve(page);
      await page.goto(path);
      await page.getByRole('heading', { name: accented(title), level: 1 }).waitFor();

      const { videos } = await scene().ask<{ videos: { edges: { node: { title: string } }[] } }>(
        '{ videos(first: 100) { edges { node { title } } } }',
      );
      const titles = new Set(videos.edges.map(({ node }) => node.title));
      const lines = (await page.locator('body').innerText()).split('\n');
      expect(lines.filter((line) => ENGLISH_SENTENCE.test(line) && !titles.has(line))).toEqual([]);
      expect(await page.locator('html').getAttribute('lang')).toBe('hi');
      expect(complaints).toEqual([]);
    });

    it('is seen before scripts run', async () => {
      const page = await readFile(join(folder, 'built/sign-in.html'), 'utf8');

      expect(page).toContain(`<span>${accented('Password')}</span>`);
      expect(page.replace(/<style>[^]*?<\/style>|<!--[^]*?-->/g, '')).not.toMatch(/>[^<]*[A-Z][a-z]+ [a-z]+ [a-z]+/);
    });
  });
}
