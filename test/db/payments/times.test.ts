import { randomBytes } from 'node:crypto';

import { pino } from 'pino';
import { describe, expect, it } from 'vitest';

import type { Database } from '../../../src/db/sql.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { PaymentInbox } from '../../../src/domain/payments/inbox/inbox.js';
import type { PaymentFact } from '../../../src/ports/paymentProvider.js';
import { spendOnJob } from '../../support/jobs.js';
import { factsOf, PaymentsRig } from '../../support/payments.js';
import { statementsWaiting } from '../../support/database/statementsWaiting.js';

const CREDIT = 1_000_000n;
const HOUR_MS = 3_600_000;
const CAPTURED_AT = new Date('2026-03-01T10:00:00Z');

const rig = await PaymentsRig.ofFile();

const at = (afterMs: number) => new Date(CAPTURED_AT.getTime() + afterMs);

describe('the window of a referral', () => {
  it.each([['earlier'], ['later']])('starts at the earliest capture, with the %s one reported first', async (order) => {
    const { accountId, facts } = await invitee();
    const captures: PaymentFact[] = [facts.captured, facts.orderPaid];
    for (const fact of order === 'earlier' ? captures : captures.toReversed()) await rig.deliver([fact]);
    // Three seconds too late by the earlier capture, two seconds in time by the later one.
    await rig.deliver([{ ...facts.refund(newId(), 100n, 'processed'), createdAt: at(48 * HOUR_MS + 3_000) }]);
    expect(await bonusOf(accountId)).toBe(2n * CREDIT);
    const times = await rig.rows(
      `select p.captured_at as payment, t.captured_at as topup, r.captured_at as referral
       from payment p join topup t using (account_id) join referral r using (account_id) where account_id = $1`,
      [accountId],
    );
    expect(times).toEqual([{ payment: CAPTURED_AT, topup: CAPTURED_AT, referral: CAPTURED_AT }]);
  });

  it.each([['earlier'], ['later']])(
    'is judged by the earliest refund, with the %s one reported first',
    async (order) => {
      const { accountId, facts } = await invitee();
      await rig.deliver([facts.captured]);
      const refunds = [HOUR_MS, 72 * HOUR_MS].map((afterMs) => ({
        ...facts.refund(newId(), 100n, 'processed'),
        createdAt: at(afterMs),
      }));
      for (const fact of order === 'earlier' ? refunds : refunds.toReversed()) await rig.deliver([fact]);
      expect(await bonusOf(accountId)).toBe(0n);
      expect(await refundedAt(accountId)).toEqual(at(HOUR_MS));
    },
  );

  it.each([['earlier'], ['later']])(
    'is judged by the earlier of two times of one refund, with the %s one reported first',
    async (order) => {
      const { accountId, facts } = await invitee();
      await rig.deliver([facts.captured]);
      const told = [at(HOUR_MS), at(72 * HOUR_MS)];
      const refundId = newId();
      for (const createdAt of order === 'earlier' ? told : told.toReversed()) {
        await rig.deliver([{ ...facts.refund(refundId, 100n, 'processed'), createdAt }]);
      }
      expect(await bonusOf(accountId)).toBe(0n);
      expect(await refundedAt(accountId)).toEqual(at(HOUR_MS));
    },
  );

  it('includes a refund that failed afterwards, even if the capture is reported last', async () => {
    const { accountId, facts } = await invitee();
    await rig.deliver([facts.authorized]);
    const refundId = newId();
    for (const state of ['processed', 'failed'] as const) {
      await rig.deliver([{ ...facts.refund(refundId, 100n, state), createdAt: at(HOUR_MS) }]);
    }
    await rig.deliver([facts.captured]);
    expect(await bonusOf(accountId)).toBe(0n);
    expect(await rig.balances(accountId)).toEqual({ MASTER: 100n * CREDIT, CASH: -100n * CREDIT });
  });
});

describe('the bonus of a refunded top-up', () => {
  it('is taken back before a dispute holds the rest, whichever is reported first', async () => {
    for (const first of ['refund', 'dispute']) {
      const { accountId, facts } = await invitee();
      await rig.deliver([facts.captured]);
      await spendOnJob(rig.db, accountId, 62n * CREDIT);
      const refund = { ...facts.refund(newId(), 100n, 'processed'), createdAt: at(HOUR_MS) };
      const dispute = facts.dispute(newId(), 10_000n, 'open');
      for (const fact of first === 'refund' ? [refund, dispute] : [dispute, refund]) await rig.deliver([fact]);
      // Of the 40 that are left, the refund takes 1 and the bonus 2: no debt arises while the dispute holds credits.
      expect(await rig.balances(accountId), `${first} first`).toEqual({
        DISPUTE_HOLD: 37n * CREDIT,
        REVENUE_PROCESSING: 62n * CREDIT,
        CASH: -99n * CREDIT,
      });
    }
  });
});

describe('two processes that work on one payment', () => {
  it('take turns, so that a refund that came before its payment is counted with it', async () => {
    const accountId = await rig.account();
    const facts = factsOf(await rig.topUp(accountId));
    // One process has looked for the refund's payment and found none, and has not stored that yet.
    const [looked, resume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = inboxOver(
      pausingAfter('payment-directory-find', async () => {
        looked.resolve();
        await resume.promise;
      }),
    );
    await rig.receive([facts.refund(newId(), 4_000n, 'processed')], { eventId: 'evt_turn_refund' });
    const noted = slow.drain();
    await looked.promise;

    await rig.receive([facts.captured], { eventId: 'evt_turn_captured' });
    const credited = rig.inbox.drain();
    const isHeldUp = expect.poll(() => statementsWaiting(rig.db.pool)).toBeGreaterThan(0);
    await Promise.race([credited, isHeldUp]);
    resume.resolve();
    await Promise.all([noted, credited]);
    await rig.settled(['evt_turn_refund', 'evt_turn_captured']);
    expect(await rig.balances(accountId)).toEqual({ MASTER: 60n * CREDIT, CASH: -60n * CREDIT });
  });
});

async function invitee(): Promise<{ accountId: string; facts: ReturnType<typeof factsOf> }> {
  const [referrerId, accountId] = [await rig.account(), await rig.account()];
  await rig.rows(
    `select attribute_referral($1::uuid, 'invitee-' || $1::uuid || '@example.com', code)
     from referral_code where account_id = $2`,
    [accountId, referrerId],
  );
  return { accountId, facts: factsOf(await rig.topUp(accountId)) };
}

async function bonusOf(accountId: string): Promise<bigint> {
  return -((await rig.balances(accountId))['PROMO'] ?? 0n);
}

async function refundedAt(accountId: string): Promise<unknown> {
  const [row] = await rig.rows<{ refunded_at: Date }>('select refunded_at from payment where account_id = $1', [
    accountId,
  ]);
  return row?.refunded_at;
}

function inboxOver(db: Database): PaymentInbox {
  const logger = pino({ level: 'silent' });
  return new PaymentInbox({ db, providers: rig.providers, logger, payerKey: randomBytes(32) });
}

/** The rig's database, with transactions that pause after one statement. */
function pausingAfter(name: string, pause: () => Promise<void>): Database {
  const { db } = rig;
  return {
    sql: db.sql,
    em: () => db.em(),
    transaction: (work) =>
      db.transaction(({ sql, em }) =>
        work({
          em,
          sql: {
            query: async <Row extends object>(...call: Parameters<Database['sql']['query']>) => {
              const rows = await sql.query<Row>(...call);
              if (call[0].name === name) await pause();
              return rows;
            },
          },
        }),
      ),
  };
}
