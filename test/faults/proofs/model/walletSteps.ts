import { newId } from '../../../../src/domain/shared/ids.js';
import { correct } from '../../../support/accounts.js';
import { releaseEscrow, settleEscrow } from '../../../../src/domain/ledger/escrow.js';
import { lockForJob } from '../../../support/jobs.js';
import type { SpendableAccount } from '../../../../src/domain/ledger/ledgerAccounts.js';
import { BUCKETS } from './history.js';
import { isOpen, nthOf, partOf, refusal, type Step } from './step.js';

const SPENDABLE: readonly SpendableAccount[] = ['MASTER', 'CREATIVE', 'AI', 'CLOUD'];

/** What the owner, staff, workers and the nightly run do to a wallet. */
export const WALLET_STEPS = {
  allocate: {
    can: isOpen,
    async run({ history, world, ownerId, draw }) {
      const from = nthOf(SPENDABLE, draw.pick);
      const to = nthOf(
        SPENDABLE.filter((bucket) => bucket !== from),
        draw.other,
      );
      const amountMicros = partOf(history.wallet.of(from), draw) + 1n;
      const move = { from, to, amountMicros, idempotencyKey: newId() };
      const act = () => world.wallet.allocate(ownerId, move);
      if (amountMicros > history.wallet.of(from)) return refusal(act(), 'INSUFFICIENT_CREDITS');
      history.wallet.move(from, to, amountMicros);
      return act;
    },
  },
  lock: {
    can: isOpen,
    async run({ history, world, ownerId, draw }) {
      const bucket = nthOf(['CREATIVE', 'AI', 'MASTER'] as const, draw.other);
      // What the bucket and MASTER have together, so that some jobs draw, some take the last credit, and some are refused.
      const draws = bucket !== 'MASTER' && history.draws[bucket] ? history.wallet.of('MASTER') : 0n;
      const micros = partOf(history.wallet.of(bucket) + draws, draw);
      const escrow = {
        accountId: ownerId,
        videoId: newId(),
        attempt: 1 + (draw.pick % 3),
        bucket,
        amountMicros: micros,
      };
      const act = () => world.db.transaction(({ sql }) => lockForJob(sql, escrow));
      if (!history.spend(bucket, 'ESCROW', micros)) return refusal(act(), 'INSUFFICIENT_CREDITS');
      history.escrows.push({ videoId: escrow.videoId, attempt: escrow.attempt, bucket, micros, isOpen: true });
      return act;
    },
  },
  settlePart: settling((micros, draw) => (micros * BigInt(draw.permille % 1000)) / 1000n),
  settleFull: settling((micros) => micros),
  settleOver: {
    can: ({ history }) => history.escrows.some((escrow) => escrow.isOpen),
    async run({ history, world, ownerId, draw }) {
      const { videoId, attempt, micros } = openEscrow(history.escrows, draw.pick);
      const settle = { accountId: ownerId, videoId, attempt, amountMicros: micros + 1n + BigInt(draw.permille) };
      return refusal(
        world.db.transaction(({ sql }) => settleEscrow(sql, settle)),
        '23514',
      );
    },
  },
  release: releasing((world, escrow) => world.db.transaction(({ sql }) => releaseEscrow(sql, escrow))),
  /** As the sweep does it: the attempt is gone, but its escrow is not. */
  expire: releasing((world, escrow) => world.attempts.releaseOrphan(escrow)),
  storageNight: {
    can: () => true,
    async run({ history, world, ownerId, draw }) {
      if (draw.flag || history.storedBytes() === 0n) {
        const bytes = BigInt(draw.permille * draw.permille) * 1_000_003n + 1n;
        await world.store(ownerId, bytes);
        history.bytes += bytes;
      }
      const day = history.chargeDay();
      const act = () => world.chargeDay(ownerId, day);
      if (history.account === 'open') return act;
      // All days are charged at the same time of the clock: repeated after a reopening, this one would cost something.
      await act();
      return null;
    },
  },
  automaticAllocation: {
    can: isOpen,
    async run({ history, world, ownerId, draw }) {
      const bucket = nthOf(BUCKETS, draw.pick);
      history.draws[bucket] = !history.draws[bucket];
      await world.wallet.setAutomaticAllocation(ownerId, { bucket, enabled: history.draws[bucket] });
      return null;
    },
  },
  repayDebt: {
    can: (scene) => isOpen(scene) && scene.history.wallet.of('DEBT') < 0n,
    async run({ history, world, ownerId, draw }) {
      const amountMicros = partOf(-history.wallet.of('DEBT'), draw) + 1n;
      const act = () => world.wallet.repayDebt(ownerId, { amountMicros, idempotencyKey });
      const idempotencyKey = newId();
      if (amountMicros > history.wallet.of('MASTER')) return refusal(act(), 'INSUFFICIENT_CREDITS');
      if (amountMicros > -history.wallet.of('DEBT')) return refusal(act(), 'INVALID_INPUT');
      history.wallet.move('MASTER', 'DEBT', amountMicros);
      return act;
    },
  },
  adjustment: {
    can: () => true,
    async run({ history, world, ownerId, draw }) {
      const micros = partOf(draw.flag ? 50_000_000n : history.wallet.of('MASTER'), draw) + 1n;
      const amountMicros = draw.flag ? micros : -micros;
      const correction = { accountId: ownerId, amountMicros, id: newId() };
      const act = () => world.db.transaction((tx) => correct(world.wallet, tx, correction));
      if (-amountMicros > history.wallet.of('MASTER')) return refusal(act(), 'INSUFFICIENT_CREDITS');
      if (draw.flag) history.wallet.receive('ADJUSTMENT', micros);
      else history.wallet.move('MASTER', 'ADJUSTMENT', micros);
      return act;
    },
  },
} satisfies Record<string, Step>;

type Escrows = Parameters<Step['run']>[0]['history']['escrows'];

function openEscrow(escrows: Escrows, pick: number) {
  return nthOf(
    escrows.filter((escrow) => escrow.isOpen),
    pick,
  );
}

function settling(amountOf: (micros: bigint, draw: Parameters<Step['run']>[0]['draw']) => bigint): Step {
  return {
    can: ({ history }) => history.escrows.some((escrow) => escrow.isOpen),
    async run({ history, world, ownerId, draw }) {
      const escrow = openEscrow(history.escrows, draw.pick);
      const amountMicros = amountOf(escrow.micros, draw);
      history.resolve(escrow, amountMicros);
      const { videoId, attempt } = escrow;
      const settle = { accountId: ownerId, videoId, attempt, amountMicros };
      return () => world.db.transaction(({ sql }) => settleEscrow(sql, settle));
    },
  };
}

function releasing(
  release: (
    world: Parameters<Step['run']>[0]['world'],
    escrow: { accountId: string; videoId: string; attempt: number },
  ) => Promise<unknown>,
): Step {
  return {
    can: ({ history }) => history.escrows.some((escrow) => escrow.isOpen),
    async run({ history, world, ownerId, draw }) {
      const escrow = openEscrow(history.escrows, draw.pick);
      history.resolve(escrow, 0n);
      const { videoId, attempt } = escrow;
      return () => release(world, { accountId: ownerId, videoId, attempt });
    },
  };
}
