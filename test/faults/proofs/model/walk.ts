import fc from '../../../support/properties.js';

import { History } from './history.js';
import type { Draw } from './step.js';
import { DRAWN_STEPS, STEPS, type StepName } from './steps.js';
import type { World } from './world.js';

/** How many steps a run takes. Many more are drawn, since most have nothing to do once the account is erased. */
export const STEPS_PER_RUN = 50;
const DRAWN_PER_RUN = 500;

export interface DrawnStep extends Draw {
  readonly name: StepName | 'nothing';
}

const draw = fc.record({
  name: fc.constantFrom(...DRAWN_STEPS),
  pick: fc.nat({ max: 0xff_ff }),
  other: fc.nat({ max: 0xff_ff }),
  permille: fc.nat({ max: 1100 }),
  flag: fc.boolean(),
});
const nothing: DrawnStep = { name: 'nothing', pick: 0, other: 0, permille: 0, flag: false };

/** The steps of one run. Any of them can shrink to nothing, so that a failing run becomes as short as possible. */
export const drawnRun: fc.Arbitrary<DrawnStep[]> = fc.array(
  fc.oneof({ withCrossShrink: true }, { weight: 1, arbitrary: fc.constant(nothing) }, { weight: 999, arbitrary: draw }),
  { minLength: DRAWN_PER_RUN, maxLength: DRAWN_PER_RUN },
);

export interface Walked {
  readonly ownerId: string;
  readonly referrerId: string | null;
  readonly history: History;
}

/** Takes one run's steps with a new owner, and checks everything after each. */
export async function walk(
  world: World,
  drawn: readonly DrawnStep[],
  onStep: (name: StepName) => void,
): Promise<Walked> {
  const history = new History();
  const ownerId = await world.owner();
  // Three of four are invitees.
  const referrerId = drawn[0]!.pick % 4 === 0 ? null : await world.owner();
  if (referrerId !== null) {
    await world.refer(ownerId, referrerId);
    history.referral = 'pending';
  }
  const trail: string[] = [];
  for (const { name, ...draw } of drawn) {
    const scene = { history, world, ownerId, draw };
    if (history.steps === STEPS_PER_RUN || name === 'nothing' || !STEPS[name].can(scene)) continue;
    history.steps += 1;
    trail.push(`${name} ${JSON.stringify(draw)}`);
    try {
      const act = await STEPS[name].run(scene);
      await act?.();
      if (act && name !== 'replay') history.done.push(act);
      await inspect(world, ownerId, history);
    } catch (error) {
      throw new Error(`after ${history.steps} steps: ${String(error)}\n${trail.join('\n')}`, { cause: error });
    }
    onStep(name);
  }
  return { ownerId, referrerId, history };
}

async function inspect(world: World, ownerId: string, history: History): Promise<void> {
  const { wallet, payments } = history;
  const { balances, escrowsMicros, requestsMicros, disputesMicros, drawnMicros } = await world.look(ownerId);
  const of = (account: string) => balances.get(account)!;
  const differing = [...balances].filter(([account, micros]) => micros !== wallet.of(account));
  must(
    differing.length === 0,
    `balances differ: ${differing.map(([account, micros]) => `${account} ${micros}, not ${wallet.of(account)}`).join('; ')}`,
  );
  must([...balances.values()].reduce((sum, micros) => sum + micros, 0n) === 0n, 'the accounts do not sum to zero');
  for (const account of ['MASTER', 'CLOUD', 'AI', 'CREATIVE', 'ESCROW', 'REFUND_HOLD', 'DISPUTE_HOLD']) {
    must(of(account) >= 0n, `${account} is negative`);
  }
  must(of('DEBT') <= 0n, 'DEBT is positive');
  must(of('ESCROW') === escrowsMicros, `ESCROW is not the open escrows: ${escrowsMicros}`);
  must(of('REFUND_HOLD') === requestsMicros, `REFUND_HOLD is not the open requests: ${requestsMicros}`);
  must(of('DISPUTE_HOLD') === disputesMicros, `DISPUTE_HOLD is not what disputes hold: ${disputesMicros}`);
  must(drawnMicros === history.drawnMicros, `drawn was ${drawnMicros}, not ${history.drawnMicros}`);
  const openMicros = history.escrowedMicros();
  must(openMicros === escrowsMicros, `the open escrows are not those: ${escrowsMicros}, not ${openMicros}`);
  const heldMicros = payments.reduce((sum, payment) => sum + payment.heldMicros, 0n);
  must(heldMicros === disputesMicros, `disputes do not hold that: ${disputesMicros}, not ${heldMicros}`);
}

function must(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}
