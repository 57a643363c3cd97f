import { describe, expect, it } from 'vitest';

import {
  isLocalPage,
  mayAskFor,
  mayPlayOn,
  pageHost,
  parseDomains,
} from '../../../src/domain/accounts/allowedSites.js';

describe('the allowed sites', () => {
  it('are all sites if none is named', () => {
    expect(mayPlayOn([], 'anywhere.example')).toBe(true);
    expect(mayPlayOn([], null)).toBe(true);
  });

  it.each([
    ['shop.example', true],
    ['www.shop.example', false],
    ['shop.example.evil.test', false],
    ['a.videos.example', true],
    ['b.a.videos.example', true],
    ['videos.example', false],
    ['evilfilms.example', false],
    [null, false],
  ])('let videos play on the page %s: %s', (host, may) => {
    expect(mayPlayOn(['shop.example', '*.videos.example'], host)).toBe(may);
  });

  it('are checked by Origin, and by Referer if there is no Origin', () => {
    expect(pageHost({ origin: 'https://Shop.example:8443', referer: 'https://other.example/' })).toBe('shop.example');
    expect(pageHost({ referer: 'https://shop.example/a?b' })).toBe('shop.example');
    // A sandboxed frame hides its site, so that its Referer does not count.
    expect(pageHost({ origin: 'null', referer: 'https://shop.example/' })).toBeNull();
    expect(pageHost({})).toBeNull();
  });

  it('are checked for the page around our own embed page', () => {
    const own = { origin: 'https://video.example' };
    const may = (embedder?: string) => mayAskFor(['shop.example'], { ...own, embedder }, 'video.example');
    expect([may(), may('https://shop.example'), may('https://video.example')]).toEqual([true, true, true]);
    expect([may('https://other.example'), may('null'), may('')]).toEqual([false, false, false]);
    // Only our own page is trusted to name its embedder.
    const other = { origin: 'https://other.example', embedder: 'https://shop.example' };
    expect(mayAskFor(['shop.example'], other, 'video.example')).toBe(false);
  });

  it('do not count for a page on the viewer’s own machine, which a preview may play on', () => {
    const isLocal = (page: Parameters<typeof isLocalPage>[0]) => isLocalPage(page, 'video.example');
    for (const origin of [
      'null',
      'http://localhost:5173',
      'http://shop.localhost',
      'http://127.0.0.1:8080',
      'http://[::1]:3000',
    ]) {
      expect(isLocal({ origin }), origin).toBe(true);
      expect(isLocal({ origin: 'https://video.example', embedder: origin }), origin).toBe(true);
    }
    for (const origin of [
      'https://shop.example',
      'https://localhost.shop.example',
      'https://127.0.0.1.nip.example',
      'https://10.0.0.1',
    ]) {
      expect(isLocal({ origin }), origin).toBe(false);
      expect(isLocal({ origin: 'https://video.example', embedder: origin }), origin).toBe(false);
      // Only our own page is trusted to name its embedder.
      expect(isLocal({ origin, embedder: 'http://localhost' }), origin).toBe(false);
    }
  });

  it('are stored in lower case and ASCII, each once', () => {
    expect(parseDomains([' Shop.Example ', 'shop.example', '*.bücher.example', 'localhost'])).toEqual([
      'shop.example',
      '*.xn--bcher-kva.example',
      'localhost',
    ]);
  });

  it.each([
    '',
    '*',
    '*.',
    'https://shop.example',
    'shop.example/path',
    'shop.example:80',
    'a b',
    '-a.example',
    '*.*.a',
  ])('cannot include %j', (text) => {
    expect(() => parseDomains([text])).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});
