import { expect, it } from 'vitest';

import { networkOf, siteOf } from '../../src/networkAddress.js';

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['203.0.113.9:51234', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:cb00:7109', '203.0.113.9'],
  ['[::ffff:203.0.113.9]:51234', '203.0.113.9'],
  ['2001:db8::1', '2001:0db8:0000:0000:0000:0000:0000:0000'],
  ['[2001:db8::1]', '2001:0db8:0000:0000:0000:0000:0000:0000'],
  ['[2001:db8::1]:443', '2001:0db8:0000:0000:0000:0000:0000:0000'],
  ['2001:DB8:1:2:3:4:5:6', '2001:0db8:0001:0002:0000:0000:0000:0000'],
  ['2001:db8:1:2:ffff::', '2001:0db8:0001:0002:0000:0000:0000:0000'],
  ['2001:db8:1:2::203.0.113.9', '2001:0db8:0001:0002:0000:0000:0000:0000'],
  ['fe80::1%eth0', 'fe80:0000:0000:0000:0000:0000:0000:0000'],
  ['::1', '0000:0000:0000:0000:0000:0000:0000:0000'],
])('%s belongs to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
  expect(networkOf(network)).toBe(network);
});

it.each([undefined, '', 'unknown', '_hidden', '203.0.113.9:x', '203.0.113.999', '[]', 'x'.repeat(10_000)])(
  '%s is not an address, and belongs to the network of all callers without one',
  (address) => {
    expect(networkOf(address)).toBe('');
  },
);

it.each([
  ['2001:0db8:0001:0002:0000:0000:0000:0000', '2001:0db8:0001'],
  ['203.0.113.9', null],
  ['', null],
])('%s belongs to the site %s', (network, site) => {
  expect(siteOf(network)).toBe(site);
});
