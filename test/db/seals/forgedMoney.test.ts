import { newId } from '../../../src/domain/shared/ids.js';
import { testForgeries } from './forger.js';

const CREDIT = 1_000_000n;

testForgeries('payments, refunds, disputes and bonuses', (forger) => [
  {
    what: 'a bonus for an account that nobody referred',
    make: () =>
      forger.forge({
        type: 'REFERRAL_BONUS',
        idempotencyKey: `referral:${forger.books.stranger}:invitee`,
        deltas: { MASTER: 2n * CREDIT, PROMO: -2n * CREDIT },
      }),
    names: () => `bonus-of-invitee: referral:${forger.books.stranger}:invitee`,
  },
  {
    what: 'a top-up without a payment',
    make: () =>
      forger.forge({
        type: 'TOPUP',
        idempotencyKey: 'topup:razorpay:pay_f',
        deltas: { MASTER: CREDIT, CASH: -CREDIT },
        metadata: { provider: 'razorpay', payment: 'pay_f' },
      }),
    names: () => 'topup: topup:razorpay:pay_f',
  },
  {
    what: 'a top-up of another amount than its payment',
    make: () => forger.rows(`update payment set credited_micros = credited_micros - 1 where payment_id = 'pay_1'`),
    names: () => 'topup: topup:razorpay:pay_1',
  },
  {
    what: 'a second top-up for one payment',
    make: () =>
      forger.forge({
        ownerId: forger.books.owner,
        type: 'TOPUP',
        idempotencyKey: 'topup:razorpay:pay_1:again',
        deltas: { MASTER: 100n * CREDIT, CASH: -100n * CREDIT },
        metadata: { provider: 'razorpay', payment: 'pay_1' },
      }),
    names: () => 'topup: topup:razorpay:pay_1:again',
  },
  {
    what: 'a payment whose row was deleted',
    make: () => forger.rows(`delete from payment where payment_id = 'pay_1'`),
    names: () => 'topup: topup:razorpay:pay_1',
  },
  {
    what: 'a top-up credited to the account of somebody else',
    make: () => forger.rows(`update payment set account_id = '${forger.books.stranger}' where payment_id = 'pay_1'`),
    names: () => 'posting-missing: topup:razorpay:pay_1',
  },
  {
    what: 'a bonus for an invitee who never existed',
    make: () =>
      forger.forge({
        ownerId: forger.books.referrer,
        type: 'REFERRAL_BONUS',
        idempotencyKey: `referral:${forger.books.stranger}:referrer`,
        deltas: { MASTER: 5n * CREDIT, PROMO: -5n * CREDIT },
        intent: `${5n * CREDIT}`,
        reference: forger.books.stranger,
        metadata: { invitee: forger.books.stranger },
      }),
    names: () => `bonus-of-referrer: referral:${forger.books.stranger}:referrer`,
  },
  {
    what: 'a bonus of another amount',
    make: async () => {
      await forger.rows(`insert into referral_invitee (account_id, invitee_id, status, masked_email, joined_at)
        values ('${forger.books.referrer}', '${forger.books.stranger}', 'granted', 'x', now())`);
      await forger.rows(`insert into referral (account_id, referrer_id, code, status, masked_email, joined_at)
        values ('${forger.books.stranger}', '${forger.books.referrer}', 'CODE', 'pending', 'x', now())`);
      await forger.forge({
        ownerId: forger.books.referrer,
        type: 'REFERRAL_BONUS',
        idempotencyKey: `referral:${forger.books.stranger}:referrer`,
        deltas: { MASTER: 50n * CREDIT, PROMO: -50n * CREDIT },
        intent: `${50n * CREDIT}`,
        reference: forger.books.stranger,
        metadata: { invitee: forger.books.stranger },
      });
    },
    names: () => `bonus-of-referrer: referral:${forger.books.stranger}:referrer`,
  },
  {
    what: 'a second bonus for one invitee',
    make: () =>
      forger.forge({
        ownerId: forger.books.owner,
        type: 'REFERRAL_BONUS',
        idempotencyKey: `referral:${forger.books.owner}:invitee:2`,
        deltas: { MASTER: 2n * CREDIT, PROMO: -2n * CREDIT },
      }),
    names: () => `tx-unexplained: referral:${forger.books.owner}:invitee:2`,
  },
  {
    what: 'a bonus that stays after a refund within the window',
    make: () => forger.rows(`update payment set refunded_at = captured_at where payment_id = 'pay_1'`),
    names: () => 'referral-window: razorpay pay_1',
  },
  {
    what: 'a claw-back deleted so that all sums still fit',
    make: () => forger.erase(forger.books.returner, `referral:${forger.books.returner}:invitee:clawback`),
    names: () => `posting-missing: referral:${forger.books.returner}:invitee:clawback`,
  },
  {
    what: 'a refund that nobody requested',
    make: () =>
      forger.forge({
        type: 'REFUND',
        idempotencyKey: `refund-request:${newId()}`,
        deltas: { MASTER: -CREDIT, REFUND_HOLD: CREDIT },
      }),
    names: () => 'refund-request: refund-request:',
  },
  {
    what: 'a refund hold returned although the refund was not refused',
    make: async () => {
      const { rows: requests } = await forger.client.query<{ id: string }>('select id from refund_request');
      const key = `refund-request:${requests[0]!.id}:returned`;
      await forger.forge({
        ownerId: forger.books.owner,
        type: 'REFUND',
        idempotencyKey: key,
        deltas: { MASTER: 10n * CREDIT, REFUND_HOLD: -10n * CREDIT },
      });
    },
    names: () => 'refund-refused: refund-request:',
  },
  {
    what: 'a refund of more than was paid',
    make: () => forger.rows(`update payment_refund set counted_micros = 41 * 1000000 where refund_id = 'rfnd_2'`),
    names: () => 'payment-returns: razorpay pay_2',
  },
  {
    what: 'a dispute that gives back more than it took',
    make: () =>
      forger.forge({
        ownerId: forger.books.owner,
        type: 'DISPUTE',
        idempotencyKey: 'dispute:razorpay:disp_1:lost:1',
        deltas: { MASTER: 30n * CREDIT, CASH: -30n * CREDIT },
        metadata: { provider: 'razorpay', payment: 'pay_1', dispute: 'disp_1' },
      }),
    names: () => 'payment-books: razorpay dispute disp_1',
  },
  {
    what: 'money moved out of suspense without a refund',
    make: () =>
      forger.forge({
        ownerId: forger.books.owner,
        type: 'REFUND',
        idempotencyKey: 'refund:razorpay:rfnd_f',
        deltas: { SUSPENSE: -CREDIT, CASH: CREDIT },
        reference: 'pay_2',
        metadata: { provider: 'razorpay', payment: 'pay_2' },
      }),
    names: () => 'refund-in-suspense: refund:razorpay:rfnd_f',
  },
  {
    what: 'money in suspense without its item',
    make: () => forger.rows('delete from suspense_item'),
    names: () => 'suspense-item: suspense:razorpay:pay_2',
  },
]);
