import { expect, it } from 'vitest';

import { OneAtATime } from '../../src/domain/shared/oneAtATime.js';

it('runs work of a name in its order, one after the other, and work of other names at once', async () => {
  const turns = new OneAtATime();
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  const work = (name: string, what: string, until?: Promise<void>) =>
    turns.run(name, async () => {
      done.push(`${what} begins`);
      await until;
      done.push(`${what} ends`);
      return what;
    });
  const all = [work('a', 'first', gate.promise), work('a', 'second'), work('b', 'other')];
  await all[2];
  expect(done).toEqual(['first begins', 'other begins', 'other ends']);
  gate.resolve();
  expect(await Promise.all(all)).toEqual(['first', 'second', 'other']);
  expect(done.slice(3)).toEqual(['first ends', 'second begins', 'second ends']);
});

it('continues after work that failed, and gives its error to its caller alone', async () => {
  const turns = new OneAtATime();
  const failed = turns.run('a', () => Promise.reject(new Error('no')));
  const next = turns.run('a', () => Promise.resolve('yes'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
  expect(await turns.run('a', () => Promise.resolve('again'))).toBe('again');
});
