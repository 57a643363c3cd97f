import { expect, test } from 'vitest';

import { Slots } from '../../src/worker/slots.js';

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
