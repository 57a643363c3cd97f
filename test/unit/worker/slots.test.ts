import { expect, test } from 'vitest';

import { Endings } from '../../../src/worker/scheduler/scheduler.js';
import { Slots } from '../../../src/worker/scheduler/slots.js';
import { beginIn, type Begun } from '../../support/worker/begin.js';

const never = new AbortController().signal;

test('a waiting video goes before every chunk, however long they wait', async () => {
  const slots = new Slots(1);
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const running = slots.use('chunk', never, () => first.promise);
  const chunks = [1, 2].map((n) => slots.use('chunk', never, async () => void order.push(`chunk ${n}`)));
  const video = slots.use('video', never, async () => void order.push('video'));
  expect(slots.videoWaits).toBe(true);

  first.resolve();
  await Promise.all([running, video, ...chunks]);

  expect(order).toEqual(['video', 'chunk 1', 'chunk 2']);
  expect(slots.videoWaits).toBe(false);
});

test('work that has left its slot continues beside the next, and frees the slot once', async () => {
  const slots = new Slots(1);
  const end = Promise.withResolvers<void>();
  const ending = slots.use('video', never, async (leave) => {
    leave();
    leave();
    await end.promise;
  });
  const second = Promise.withResolvers<void>();
  const next = slots.use('video', never, () => second.promise);
  const third = slots.use('video', never, async () => 'third');
  expect(slots.videoWaits).toBe(true);

  end.resolve();
  await ending;
  expect(slots.videoWaits).toBe(true);

  second.resolve();
  await next;
  expect(await third).toBe('third');
});

test('no more videos end beside others than there are slots, and each frees its slot once', async () => {
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

test('a slot is freed by work that failed, and not taken by a waiter that was aborted', async () => {
  const slots = new Slots(1);
  const gate = Promise.withResolvers<void>();
  const failing = slots.use('video', never, () => gate.promise);
  const impatient = new AbortController();
  const waiting = slots.use('chunk', impatient.signal, async () => 'never');
  impatient.abort(new Error('stopping'));
  await expect(waiting).rejects.toThrow('stopping');

  gate.reject(new Error('broken'));
  await expect(failing).rejects.toThrow('broken');
  expect(await slots.use('chunk', never, async () => 'free')).toBe('free');
});
