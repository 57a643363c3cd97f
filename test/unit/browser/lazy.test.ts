import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { inTurn } from '../../../src/dashboard/lib/lazy.js';

// A hidden page does not paint and is not idle.
beforeEach(() => void vi.stubGlobal('document', { hidden: true }));
afterEach(() => void vi.unstubAllGlobals());

it('requests what a page shows later at once, and hands it over one after the other', async () => {
  const requested: string[] = [];
  const arrivals = new Map<string, () => void>();
  const part = (name: string) =>
    inTurn(() => {
      requested.push(name);
      return new Promise<string>((resolve) => arrivals.set(name, () => resolve(name)));
    })();
  const handed: string[] = [];
  const all = ['first', 'second'].map((name) => part(name).then((one) => handed.push(one)));
  await vi.waitFor(() => expect(requested).toEqual(['first', 'second']));

  arrivals.get('second')!();
  await Promise.resolve();
  expect(handed).toEqual([]);
  arrivals.get('first')!();
  await Promise.all(all);
  expect(handed).toEqual(['first', 'second']);
});

it('hands over the others if one of them cannot be loaded', async () => {
  const lost = inTurn(() => Promise.reject(new Error('lost')))();
  const other = inTurn(() => Promise.resolve('other'))();
  await expect(lost).rejects.toThrow('lost');
  expect(await other).toBe('other');
});
