import { describe, expect, it } from 'vitest';

import { mayAskFor, mayPlayOn, pageHost, parseDomains } from '../../../src/domain/accounts/allowedSites.js';

describe('the sites a video may play on', () => {
  it('are every site while none is named', () => {
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
  ])('%s: %s', (host, may) => {
    expect(mayPlayOn(['shop.example', '*.videos.example'], host)).toBe(may);
  });

  it('are told by Origin, and by Referer where there is none', () => {
    expect(pageHost({ origin: 'https://Shop.example:8443', referer: 'https://other.example/' })).toBe('shop.example');
    expect(pageHost({ referer: 'https://shop.example/a?b' })).toBe('shop.example');
    // A sandboxed frame hides where it is: its Referer does not speak for it.
    expect(pageHost({ origin: 'null', referer: 'https://shop.example/' })).toBeNull();
    expect(pageHost({})).toBeNull();
  });

  it('are asked through our own embed page for the page around it', () => {
    const own = { origin: 'https://video.example' };
    const may = (embedder?: string) => mayAskFor(['shop.example'], { ...own, embedder }, 'video.example');
    expect([may(), may('https://shop.example'), may('https://video.example')]).toEqual([true, true, true]);
    expect([may('https://other.example'), may('null'), may('')]).toEqual([false, false, false]);
    // Anybody else's word about who frames them is worth nothing.
    const other = { origin: 'https://other.example', embedder: 'https://shop.example' };
    expect(mayAskFor(['shop.example'], other, 'video.example')).toBe(false);
  });

  it('are kept in lower case and ASCII, each once', () => {
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
  ])('are not %j', (text) => {
    expect(() => parseDomains([text])).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});
