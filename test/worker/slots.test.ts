import { expect, test } from 'vitest';

import { Endings } from '../../src/worker/endings.js';
import { Slots } from '../../src/worker/slots.js';
import { beginIn, type Begun } from './begin.js';

const never = new AbortController().signal;

test('a film that waits goes before every part, however long these wait', async () => {
  const slots = new Slots(1);
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const running = slots.use('part', never, () => first.promise);
  const parts = [1, 2].map((n) => slots.use('part', never, async () => void order.push(`part ${n}`)));
  const film = slots.use('film', never, async () => void order.push('film'));
  expect(slots.filmWaits).toBe(true);

  first.resolve();
  await Promise.all([running, film, ...parts]);

  expect(order).toEqual(['film', 'part 1', 'part 2']);
  expect(slots.filmWaits).toBe(false);
});

test('work that has left its slot goes on beside the next, and gives it back once', async () => {
  const slots = new Slots(1);
  const end = Promise.withResolvers<void>();
  const ending = slots.use('film', never, async (leave) => {
    leave();
    leave();
    await end.promise;
  });
  const second = Promise.withResolvers<void>();
  const next = slots.use('film', never, () => second.promise);
  const third = slots.use('film', never, async () => 'third');
  expect(slots.filmWaits).toBe(true);

  end.resolve();
  await ending;
  expect(slots.filmWaits).toBe(true);

  second.resolve();
  await next;
  expect(await third).toBe('third');
});

test('no more films end beside others than there are slots, and each lets go once', async () => {
  const endings = new Endings(1);
  const letGo: string[] = [];
  const begin = (name: string): Begun => beginIn(endings, () => void letGo.push(name));
  const [first, second] = [begin('first'), begin('second')];
  for (const { say } of [first, first, second]) say();
  expect(letGo).toEqual(['first']);

  first.finish();
  await first.ended;
  second.say();
  expect(letGo).toEqual(['first', 'second']);
  second.finish();
  await second.ended;
});

test('a slot comes back from work that failed, and one who gave up takes none', async () => {
  const slots = new Slots(1);
  const gate = Promise.withResolvers<void>();
  const failing = slots.use('film', never, () => gate.promise);
  const impatient = new AbortController();
  const waiting = slots.use('part', impatient.signal, async () => 'never');
  impatient.abort(new Error('stopping'));
  await expect(waiting).rejects.toThrow('stopping');

  gate.reject(new Error('broken'));
  await expect(failing).rejects.toThrow('broken');
  expect(await slots.use('part', never, async () => 'free')).toBe('free');
});
