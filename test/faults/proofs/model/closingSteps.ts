import { isOpen, type Scene, type Step } from './step.js';

/** The account ends: its balance goes back to where it was paid from, as far as payments stand for it. */
export const CLOSING_STEPS = {
  close: {
    can: isOpen,
    async run(scene) {
      const { history, world, ownerId } = scene;
      history.account = 'closed';
      history.closings += 1;
      const asked = history.payBack();
      await world.close(ownerId);
      await expectAsked(scene, asked);
      return null;
    },
  },
  /** The chore looks again: escrow may have returned, a payment may have come, or a refund failed. */
  closingPass: {
    can: ({ history }) => history.account !== 'open',
    async run(scene) {
      const { history, world, ownerId } = scene;
      const asked = history.payBack();
      const settled = await world.settleClosing(ownerId);
      if (settled !== (asked !== null)) throw new Error(`the closing is ${settled ? '' : 'not '}settled`);
      await expectAsked(scene, asked);
      return null;
    },
  },
  reopen: {
    can: ({ history }) => history.account === 'closed',
    async run({ history, world, ownerId }) {
      await world.reopen(ownerId);
      history.account = 'open';
      return null;
    },
  },
  /** At once, by an operator. Only late in a history, and mostly of a closed account, because it ends most of what can happen. */
  erase: {
    can: ({ history, draw }) =>
      history.steps > 25 && (history.account === 'closed' || (history.account === 'open' && draw.pick % 4 === 0)),
    async run(scene) {
      const { history, world, ownerId } = scene;
      if (history.account === 'open') history.closings += 1;
      history.account = 'erased';
      const asked = history.payBack();
      for (const video of history.videos) video.place = 'nowhere';
      // Earlier actions cannot be repeated: the erasure has emptied the rows that they would find.
      history.done.length = 0;
      const waitsFor = await world.erase(ownerId);
      if ((waitsFor === 'charges') !== (asked === null)) throw new Error(`the erasure waits for ${String(waitsFor)}`);
      await expectAsked(scene, asked);
      if (asked !== null) history.lapse();
      return null;
    },
  },
} satisfies Record<string, Step>;

/** Exactly these refunds were requested, each of this amount. */
async function expectAsked({ history, world, ownerId }: Scene, asked: ReturnType<Scene['history']['payBack']>) {
  const known = new Set(history.payments.flatMap(({ requests }) => requests.map(({ id }) => id)));
  const made = (await world.refundRequests(ownerId)).filter(({ id }) => !known.has(id));
  const linesOf = (items: readonly { topUpId: string; minor: bigint }[]) =>
    items.map(({ topUpId, minor }) => `${topUpId} ${minor}`).toSorted();
  const expected = (asked ?? []).map(({ payment, minor }) => ({ topUpId: payment.topUpId, minor }));
  if (linesOf(made).join() !== linesOf(expected).join()) {
    throw new Error(`refunds differ: ${linesOf(made).join('; ')}, not ${linesOf(expected).join('; ')}`);
  }
  for (const { id, refundId, topUpId, heldMicros } of made) {
    const payment = history.payments.find((one) => one.topUpId === topUpId)!;
    payment.requests.push({ id, refundId, heldMicros, closing: history.closings, status: 'requested' });
  }
}
