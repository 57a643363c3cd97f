import { afterEach, expect, it, vi } from 'vitest';

import { readRecents } from '../../../src/dashboard/palette/recents.js';

afterEach(() => vi.unstubAllGlobals());

it('recent entries lead to this site only, whatever was written into the storage', () => {
  const recents = [
    '/videos',
    '/a/b?q=//c',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'https://evil.example',
    'x',
  ];
  const kept = recents.map((to) => ({ to, label: 'Label', icon: 'play' }));
  vi.stubGlobal('location', { origin: 'https://dhara.example' });
  vi.stubGlobal('localStorage', { getItem: () => JSON.stringify([...kept, null, { to: '/no-label' }]) });
  expect(readRecents('account').map(({ to }) => to)).toEqual(['/videos', '/a/b?q=//c']);
});
