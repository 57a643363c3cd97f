import { afterEach, describe, expect, it, vi } from 'vitest';

import { WINDOWS } from '../../browser/sizes.js';
import { ownWindow, turnOf } from '../../browser/window.js';

describe('the window of a browser test', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('is one of six, and each of them is the window of many tests', () => {
    expect(WINDOWS.map(({ name }) => name)).toEqual([
      '1440-light',
      '1440-dark',
      '1024-light',
      '1024-dark',
      '390-light',
      '390-dark',
    ]);
    const counts = WINDOWS.map(() => 0);
    for (let nth = 0; nth < 600; nth += 1) counts[turnOf(`the wallet > says what happened, case ${nth}`)]! += 1;
    expect(Math.min(...counts)).toBeGreaterThan(60);
  });

  it('depends on the name of the test alone', () => {
    const window = WINDOWS[turnOf(expect.getState().currentTestName!)]!;
    vi.stubEnv('TEST_WINDOW', '');
    expect(window).toMatchObject(ownWindow());
  });

  it('can be named for all tests, and only by a name that exists', () => {
    vi.stubEnv('TEST_WINDOW', '390-dark');
    expect(ownWindow()).toMatchObject({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    vi.stubEnv('TEST_WINDOW', '391-dark');
    expect(ownWindow).toThrow('TEST_WINDOW is 391-dark; it may be 1440-light, 1440-dark, 1024-light');
  });
});
