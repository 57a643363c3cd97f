import { expect, it } from 'vitest';

import { bodyOf } from '../../src/api/rest/envelope.js';
import { KeptPages } from '../../src/api/rest/keptPages.js';

const KEY = Buffer.alloc(32, 1);

function page(letters: number) {
  return { version: 'v', body: bodyOf({ text: 'x'.repeat(letters) }) };
}

it('a page is kept for one key and one address', () => {
  const pages = new KeptPages();
  pages.set(KEY, '/video', page(1));
  expect(pages.get(KEY, '/video')).toBeDefined();
  expect(pages.get(Buffer.alloc(32, 2), '/video')).toBeUndefined();
  expect(pages.get(KEY, '/video?limit=2')).toBeUndefined();
});

it('the least recently used pages are evicted', () => {
  const pages = new KeptPages(100_000);
  for (let n = 0; n < 10_000; n += 1) {
    pages.set(KEY, `/video?page=${n}`, page(5_000));
    // Requested all the while, so that it is kept.
    expect(pages.get(KEY, '/video?page=0')).toBeDefined();
  }
  const kept = Array.from({ length: 10_000 }, (_, n) => n).filter((n) => pages.get(KEY, `/video?page=${n}`));
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.length).toBeLessThan(20);
  expect(kept.slice(1)).toEqual(Array.from({ length: kept.length - 1 }, (_, n) => 10_001 - kept.length + n));
});

it('a page that would evict most others is not kept', () => {
  const pages = new KeptPages(100_000);
  pages.set(KEY, '/video?q=all', page(50_000));
  expect(pages.get(KEY, '/video?q=all')).toBeUndefined();
});

it('a page is kept from its second request within a while', () => {
  const pages = new KeptPages();
  expect(pages.isWanted(KEY, '/video')).toBe(false);
  expect(pages.isWanted(KEY, '/video')).toBe(true);
  for (let n = 0; n < 10_000; n += 1) expect(pages.isWanted(KEY, `/video?page=${n}`)).toBe(false);
  expect(pages.isWanted(KEY, '/video?page=0')).toBe(false);
  expect(pages.isWanted(KEY, '/video?page=9999')).toBe(true);
  // A page that is kept stays wanted when it changes.
  pages.set(KEY, '/video?page=9999', page(1));
  expect(pages.isWanted(KEY, '/video?page=9999')).toBe(true);
});

it('a page with a very long address is never kept', () => {
  const pages = new KeptPages();
  for (let n = 0; n < 3; n += 1) expect(pages.isWanted(KEY, `/video?q=${'x'.repeat(2_000)}`)).toBe(false);
});
