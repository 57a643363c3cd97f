import { expect, it } from 'vitest';

import { bodyOf } from '../../src/api/rest/envelope.js';
import { KeptPages } from '../../src/api/rest/keptPages.js';

const KEY = Buffer.alloc(32, 1);

function page(letters: number) {
  return { version: 'v', body: bodyOf({ text: 'x'.repeat(letters) }) };
}

it('pages of one key are not another key’s', () => {
  const pages = new KeptPages();
  pages.set(KEY, '/video', page(1));
  expect(pages.get(KEY, '/video')).toBeDefined();
  expect(pages.get(Buffer.alloc(32, 2), '/video')).toBeUndefined();
  expect(pages.get(KEY, '/video?limit=2')).toBeUndefined();
});

it('the pages that were asked for least recently go', () => {
  const pages = new KeptPages(100_000);
  for (let n = 0; n < 10_000; n += 1) {
    pages.set(KEY, `/video?page=${n}`, page(5_000));
    // Asked for all the while, so that it stays.
    expect(pages.get(KEY, '/video?page=0')).toBeDefined();
  }
  const kept = Array.from({ length: 10_000 }, (_, n) => n).filter((n) => pages.get(KEY, `/video?page=${n}`));
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.length).toBeLessThan(20);
  expect(kept.slice(1)).toEqual(Array.from({ length: kept.length - 1 }, (_, n) => 10_001 - kept.length + n));
});

it('a page that would push out most others is not kept', () => {
  const pages = new KeptPages(100_000);
  pages.set(KEY, '/video?q=all', page(50_000));
  expect(pages.get(KEY, '/video?q=all')).toBeUndefined();
});

it('a page is wanted once it was asked for twice within a while', () => {
  const pages = new KeptPages();
  expect(pages.isWanted(KEY, '/video')).toBe(false);
  expect(pages.isWanted(KEY, '/video')).toBe(true);
  for (let n = 0; n < 10_000; n += 1) expect(pages.isWanted(KEY, `/video?page=${n}`)).toBe(false);
  expect(pages.isWanted(KEY, '/video?page=0')).toBe(false);
  expect(pages.isWanted(KEY, '/video?page=9999')).toBe(true);
  // What is kept is made anew whenever it changes.
  pages.set(KEY, '/video?page=9999', page(1));
  expect(pages.isWanted(KEY, '/video?page=9999')).toBe(true);
});

it('a page with an address of any length is not wanted, however often it is asked for', () => {
  const pages = new KeptPages();
  for (let n = 0; n < 3; n += 1) expect(pages.isWanted(KEY, `/video?q=${'x'.repeat(2_000)}`)).toBe(false);
});
