import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { SandboxScene } from '../../support/sandbox/scene.js';

let scene: SandboxScene;
beforeAll(async () => {
  scene = await SandboxScene.start();
});
afterAll(() => scene.stop());
beforeEach(() => scene.receiver.forget());

describe.each(['razorpay', 'stripe'] as const)('a payment in the %s sandbox', (provider) => {
  it('can be refunded in part, then completely, and no further', async () => {
    let { page } = await scene.paid(provider);
    await page.press('Refund this amount', { amount: '120.5' });
    page = await page.reload();
    await page.press('Refund all that is left');
    const refunds = (await scene.factsOf(4)).filter((fact) => fact.kind === 'refund');
    expect(refunds.map(({ amountMinor, state }) => `${amountMinor} ${state}`).toSorted()).toEqual([
      '12050 pending',
      '12050 processed',
      '37900 pending',
      '37900 processed',
    ]);
    expect((await page.reload()).buttons()).not.toContain('Refund all that is left');
    const again = await page.press('Refund this amount', { amount: '1' });
    expect(again.status).toBe(409);
  });

  it('can have a refund that fails, which returns the money', async () => {
    const { page } = await scene.paid(provider);
    await page.press('Refund that fails', { amount: '499.50' });
    expect((await scene.factsOf(2)).at(-1)).toMatchObject({ kind: 'refund', state: 'failed', amountMinor: 49_950n });
    expect((await page.reload()).buttons()).toContain('Refund all that is left');
  });

  it('is refunded through the API once per key, with the result chosen on the page', async () => {
    const { page, paymentId, accountId, topUpId } = await scene.paid(provider);
    await page.press('Let them fail');
    const adapter = scene.provider(provider);
    const wish = { accountId, topUpId, currency: adapter.currency, paymentId, amountMinor: 100n };
    const [first, second] = [
      await adapter.refund({ ...wish, idempotencyKey: 'refund:one' }),
      await adapter.refund({ ...wish, idempotencyKey: 'refund:one' }),
    ];
    expect(second).toEqual(first);
    const facts = await scene.factsOf(2);
    expect(facts.at(-1)).toMatchObject({ refundId: first.refundId, state: 'failed', requestKey: 'refund:one' });
    expect(facts.at(-1)).toHaveProperty('createdAt', first.createdAt);
    await (await page.reload()).press('Let them succeed');
    await adapter.refund({ ...wish, idempotencyKey: 'refund:two' });
    expect((await scene.factsOf(4)).at(-1)).toMatchObject({ state: 'processed', requestKey: 'refund:two' });
    await expect(adapter.refund({ ...wish, amountMinor: 99n, idempotencyKey: 'refund:two' })).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
    await expect(adapter.refund({ ...wish, amountMinor: 49_951n, idempotencyKey: 'refund:3' })).rejects.toMatchObject({
      code: 'INVALID_STATE',
    });
  });

  it.each([
    ['Dhara wins', 'won'],
    ['Dhara loses', 'lost'],
  ])('can be disputed, and %s', async (words, state) => {
    const { page } = await scene.paid(provider);
    await page.press('Open a dispute');
    const disputed = await page.reload();
    expect(disputed.buttons()).not.toContain('Open a dispute');
    await scene.factsOf(provider === 'stripe' ? 2 : 1);
    await scene.receiver.forget();
    await disputed.press(words);
    const facts = await scene.factsOf(provider === 'stripe' && state === 'won' ? 2 : 1);
    for (const fact of facts) expect(fact).toMatchObject({ kind: 'dispute', state, amountMinor: 49_950n });
  });
});
