import type { EntityManager } from '@mikro-orm/postgresql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Database, Sql, Transaction } from '../../../src/db/sql.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { releaseEscrow, settleEscrow, type EscrowId } from '../../../src/domain/ledger/escrow.js';
import { correct } from '../../support/accounts.js';
import { lockForJob } from '../../support/jobs.js';
import type { SpendableAccount } from '../../../src/domain/ledger/ledgerAccounts.js';
import { verifyLedger } from '../../../src/domain/ledger/verify/verify.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import { AppError } from '../../../src/errors.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { IS_FULL } from '../../support/effort.js';
import fc from '../../support/properties.js';
import { World } from './model/world.js';

const RUNS = IS_FULL ? 2_000 : 60;
/** Commands that begin before any has ended. */
const COMMANDS = 14;
const CONNECTIONS = 24;
/** Escrows that can be settled or released from the first command on. */
const OPEN_ESCROWS = 3;
const ESCROW_MICROS = 1_000_000n;
const BUCKETS: readonly SpendableAccount[] = ['MASTER', 'CREATIVE', 'AI', 'CLOUD'];
const REFUSALS = new Set(['INSUFFICIENT_CREDITS']);

let database: TestDatabase;
let world: World;
beforeAll(async () => {
  database = await createTestDatabase();
  world = new World(database.runtimeUrl, CONNECTIONS);
});
afterAll(async () => {
  await world?.db.close();
  await database?.drop();
});

/** What one operation moves if it succeeds, whatever came before it. */
interface Effect {
  /** MASTER and the buckets together, minus DEBT. */
  readonly owned?: bigint;
  readonly escrow?: bigint;
  readonly revenue?: bigint;
  readonly cash?: bigint;
  readonly adjustment?: bigint;
}

class Model {
  readonly escrows: (EscrowId & { readonly micros: bigint })[] = [];
  readonly payments: { readonly paymentId: string; readonly minor: bigint }[] = [];
  readonly effects: Effect[] = [];
  readonly under: Promise<void>[] = [];
  constructor(
    readonly ownerId: string,
    readonly db: Database,
    readonly wallet: WalletService,
  ) {}

  /** Begins an operation without waiting for it. */
  begin(work: () => Promise<Effect | null>): void {
    const ended = work().then(
      (effect) => void (effect && this.effects.push(effect)),
      (error: unknown) => {
        if (!(error instanceof AppError) || !REFUSALS.has(error.code)) throw error;
      },
    );
    // It is awaited later; until then, avoid an unhandled rejection.
    ended.catch(() => undefined);
    this.under.push(ended);
  }

  sum(of: keyof Effect): bigint {
    return this.effects.reduce((sum, effect) => sum + (effect[of] ?? 0n), 0n);
  }
}

type Command = fc.AsyncCommand<Model, World>;

/** A command that begins an operation; `text` appears in counterexamples. */
function command(text: string, begin: (model: Model, real: World) => void): Command {
  return {
    check: () => true,
    run: (model, real) => {
      begin(model, real);
      return Promise.resolve();
    },
    toString: () => text,
  };
}

const micros = fc.bigInt({ min: 1n, max: 6_000_000n });
const bucket = fc.constantFrom(...BUCKETS);
const commands = fc.commands(
  [
    fc.tuple(bucket, bucket, micros).map(([from, to, amountMicros]) =>
      command(`allocate ${amountMicros} ${from} to ${to}`, (model) => {
        if (from === to) return;
        model.begin(async () => {
          await model.wallet.allocate(model.ownerId, { from, to, amountMicros, idempotencyKey: newId() });
          return {};
        });
      }),
    ),
    fc.tuple(bucket, micros).map(([from, amountMicros]) =>
      command(`lock ${amountMicros} of ${from}`, (model) => {
        const escrow = { accountId: model.ownerId, videoId: newId(), attempt: 1, micros: amountMicros };
        model.begin(async () => {
          await model.db.transaction(({ sql }) => lockForJob(sql, { ...escrow, bucket: from, amountMicros }));
          model.escrows.push(escrow);
          return { owned: -amountMicros, escrow: amountMicros };
        });
      }),
    ),
    fc.tuple(fc.nat({ max: 5 }), fc.boolean()).map(([nth, settles]) =>
      command(`${settles ? 'settle' : 'release'} escrow ${nth}`, (model) => {
        model.begin(async () => {
          const escrow = model.escrows[nth % Math.max(1, model.escrows.length)];
          if (!escrow) return null;
          const dueMicros = settles ? escrow.micros / 2n : 0n;
          const isFirst = await model.db.transaction(({ sql }) =>
            settles ? settleEscrow(sql, { ...escrow, amountMicros: dueMicros }) : releaseEscrow(sql, escrow),
          );
          if (!isFirst) return null;
          return { owned: escrow.micros - dueMicros, escrow: -escrow.micros, revenue: dueMicros };
        });
      }),
    ),
    fc.tuple(micros, fc.boolean()).map(([amount, isUp]) =>
      command(`adjust by ${isUp ? '' : '-'}${amount}`, (model) => {
        const amountMicros = isUp ? amount : -amount;
        const correction = { accountId: model.ownerId, amountMicros, id: newId() };
        model.begin(async () => {
          await model.db.transaction((tx) => correct(model.wallet, tx, correction));
          return { owned: amountMicros, adjustment: -amountMicros };
        });
      }),
    ),
    fc.tuple(micros, fc.integer({ min: 2, max: 5 })).map(([amountMicros, times]) =>
      command(`allocate ${amountMicros} to CREATIVE, the same ${times} times`, (model) => {
        const move = { from: 'MASTER', to: 'CREATIVE', amountMicros, idempotencyKey: newId() } as const;
        for (let nth = 0; nth < times; nth += 1) {
          model.begin(async () => {
            await model.wallet.allocate(model.ownerId, move);
            return {};
          });
        }
      }),
    ),
  ],
  { maxCommands: COMMANDS, size: 'max' },
);

describe('concurrent operations on one wallet', () => {
  it(`move exactly what the successful ones moved, in ${RUNS} interleavings`, { timeout: 1_800_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), commands, async (scheduler, drawn) => {
        const ownerId = await world.owner();
        const opening = { accountId: ownerId, amountMicros: 20_000_000n };
        await world.db.transaction((tx) => correct(world.wallet, tx, opening));
        const db = new GatedDatabase(world.db, scheduler);
        const model = new Model(ownerId, db, new WalletService(db));
        model.effects.push({ owned: opening.amountMicros, adjustment: -opening.amountMicros });
        for (let nth = 0; nth < OPEN_ESCROWS; nth += 1) await openEscrow(model);

        await fc.scheduledModelRun(scheduler, () => ({ model, real: world }), drawn);
        await scheduler.waitFor(Promise.all(model.under));

        const { balances, escrowsMicros } = await world.look(ownerId);
        const of = (account: string) => balances.get(account)!;
        expect(BUCKETS.reduce((sum, account) => sum + of(account), of('DEBT'))).toBe(model.sum('owned'));
        expect(of('ESCROW')).toBe(model.sum('escrow'));
        expect(escrowsMicros).toBe(model.sum('escrow'));
        expect(of('REVENUE_PROCESSING')).toBe(model.sum('revenue'));
        expect(of('ADJUSTMENT')).toBe(model.sum('adjustment'));
      }),
      { numRuns: RUNS },
    );
    expect((await verifyLedger(world.db)).faults).toEqual([]);
  });
});

async function openEscrow(model: Model): Promise<void> {
  const escrow = { accountId: model.ownerId, videoId: newId(), attempt: 1, micros: ESCROW_MICROS };
  const lock = { ...escrow, bucket: 'MASTER', amountMicros: ESCROW_MICROS } as const;
  await world.db.transaction(({ sql }) => lockForJob(sql, lock));
  model.escrows.push(escrow);
  model.effects.push({ owned: -ESCROW_MICROS, escrow: ESCROW_MICROS });
}

/**
 * Lets the scheduler decide whose statement runs next. A statement itself runs outside of it: one that waits for a row
 * lock must not delay the one that holds the lock.
 */
class GatedDatabase implements Database {
  readonly sql: Sql;

  constructor(
    private readonly inner: Database,
    private readonly scheduler: fc.Scheduler,
  ) {
    this.sql = this.gated(inner.sql);
  }

  em(): EntityManager {
    return this.inner.em();
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    await this.turn('begin');
    return this.inner.transaction(async (tx) => {
      const result = await work({ ...tx, sql: this.gated(tx.sql) });
      await this.turn('commit');
      return result;
    });
  }

  private gated(sql: Sql): Sql {
    return {
      query: async (statement, values) => {
        await this.turn(statement.name);
        return sql.query(statement, values);
      },
    };
  }

  private turn(what: string): Promise<void> {
    return this.scheduler.schedule(Promise.resolve(), what);
  }
}
