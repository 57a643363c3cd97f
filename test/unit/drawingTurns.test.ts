import { expect, test } from 'vitest';

import { DrawingTurns } from '../../src/domain/shared/drawingTurns.js';

const accounts = Array.from({ length: 30 }, (_, n) => `account ${n}`);

test('an account draws one thing at a time, and a limited number of accounts can wait', async () => {
  const turns = new DrawingTurns('poster');
  const gate = Promise.withResolvers<void>();
  let drawn = 0;
  const draw = async (): Promise<void> => {
    drawn += 1;
    await gate.promise;
  };
  const answers = Promise.allSettled(accounts.map((account) => turns.take(account, draw)));
  await expect(turns.take('account 0', draw)).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    message: 'A poster is already being rendered. Wait a moment.',
  });
  gate.resolve();
  const refused = (await answers).filter((answer) => answer.status === 'rejected');
  expect(refused).toHaveLength(8);
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(drawn).toBe(22);
});

test('a turn ends if its drawing fails', async () => {
  const turns = new DrawingTurns('logo');
  const breaks = (): Promise<never> => Promise.reject(new Error('it broke'));
  for (const account of accounts) await expect(turns.take(account, breaks)).rejects.toThrow('it broke');
  for (const account of accounts) expect(await turns.take(account, () => Promise.resolve(account))).toBe(account);
});
