import { expect, test } from 'vitest';

import { isLight, LightFilms } from '../../src/worker/lightFilms.js';
import { makeClip } from '../setup/media.js';
import { paperProbe } from './paperProbe.js';
import { openScene } from './pipeline.js';

test('a film is light by all of its frames', () => {
  const light = (seconds: number, quality: '480p' | '1080p' | 'audio'): boolean =>
    isLight({ quality, probe: paperProbe(seconds * 1_000, 1080) });
  expect(light(15, '480p')).toBe(true);
  expect(light(30, '480p')).toBe(false);
  expect(light(2, '1080p')).toBe(true);
  expect(light(5, '1080p')).toBe(false);
  expect(light(3_600, 'audio')).toBe(true);
});

test('one goes on beside each slot; the next does when its encode is over, and each lets go once', async () => {
  const films = new LightFilms(1);
  const letGo: string[] = [];
  const begin = (name: string): { isOver: () => void; finish: () => void; ended: Promise<void> } => {
    const { promise, resolve: finish } = Promise.withResolvers<void>();
    let isOver!: () => void;
    const ended = films.use(
      () => void letGo.push(name),
      (over) => {
        isOver = over;
        return promise;
      },
    );
    return { isOver, finish, ended };
  };
  const [first, second, third] = [begin('first'), begin('second'), begin('third')];
  expect(letGo).toEqual(['first']);

  second.finish();
  await second.ended;
  expect(letGo).toEqual(['first']);

  first.isOver();
  first.isOver();
  expect(letGo).toEqual(['first', 'third']);
  const fourth = begin('fourth');
  first.finish();
  await first.ended;
  expect(letGo).toEqual(['first', 'third']);

  third.finish();
  await third.ended;
  expect(letGo).toEqual(['first', 'third', 'fourth']);
  fourth.finish();
  await fourth.ended;
});

test('a place comes back from a film that failed', async () => {
  const films = new LightFilms(1);
  await expect(
    films.use(
      () => undefined,
      () => Promise.reject(new Error('no')),
    ),
  ).rejects.toThrow('no');
  let hasLetGo = false;
  await films.use(
    () => (hasLetGo = true),
    () => Promise.resolve(),
  );
  expect(hasLetGo).toBe(true);
});

test('a worker with one slot encodes two small films at once, and charges each once', async () => {
  const both = Promise.withResolvers<void>();
  let encodes = 0;
  const scene = await openScene({
    works: true,
    onEncoded: async () => {
      encodes += 1;
      if (encodes === 2) both.resolve();
      await both.promise;
    },
  });
  const { pipeline } = scene;
  try {
    const accountId = await pipeline.account(100n);
    const clip = await makeClip(scene.dir, { durationSeconds: 2, width: 160, height: 120 });
    const videoIds: string[] = [];
    for (let film = 0; film < 4; film += 1) videoIds.push(await pipeline.measured(accountId, clip));
    for (const videoId of videoIds) await pipeline.buy(accountId, videoId, '480p');
    const { escrow } = await pipeline.books(accountId);
    for (const videoId of videoIds) await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
    expect(await pipeline.books(accountId)).toMatchObject({ escrow: 0n, revenue: escrow });
  } finally {
    await scene.close();
  }
});
