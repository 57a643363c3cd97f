import { newId } from '../../../../src/domain/shared/ids.js';
import type { PaymentFact } from '../../../../src/ports/paymentProvider.js';
import { MICROS_PER_PAISA, PaymentModel, type ModelDispute, type ModelRefund } from './paymentModel.js';
import { nthOf, partOf, refusal, type Scene, type Step } from './step.js';

const FIRST_CAPTURE_MS = Date.parse('2026-03-01T10:00:00Z');
const HOUR_MS = 3_600_000;

const hasPayment: Step['can'] = ({ history }) => history.payments.length > 0;

/** What payers, owners and providers do with payments, as signed data reports it. */
export const PAYMENT_STEPS = {
  topUp: {
    can: () => true,
    async run({ history, world, ownerId, draw }) {
      const minor = 5_000n + BigInt(draw.permille * 7 + (draw.pick % 5_000));
      const { topUpId, orderId } = await world.topUp(ownerId, minor);
      const paymentId = `pay_${newId()}`;
      const capturedAtMs = FIRST_CAPTURE_MS + history.tick() * 1000;
      history.credit(new PaymentModel(paymentId, topUpId, orderId, minor, capturedAtMs));
      const capturedAt = new Date(capturedAtMs);
      const captured = {
        kind: 'captured',
        paymentId,
        orderId,
        amountMinor: minor,
        currency: 'INR',
        capturedAt,
        accountId: ownerId,
        topUpId,
        payers: [`vpa:${ownerId}@upi`],
      } as const;
      return () => world.tell(captured);
    },
  },
  /** Requested by the owner: held, and settled or returned by a later webhook. */
  refund: {
    can: hasPayment,
    async run({ history, world, ownerId, draw }) {
      const payment = nthOf(history.payments, draw.pick);
      const refundable = payment.refundableMinor();
      const amount = partOf(refundable, draw) + 1n;
      const order = { topUpId: payment.topUpId, amount, idempotencyKey: newId() };
      const act = () => world.refunds.requestRefund(ownerId, order);
      if (history.account !== 'open') return refusal(act(), 'ACCOUNT_SUSPENDED');
      const heldMicros = amount * MICROS_PER_PAISA;
      if (amount > refundable) return refusal(act(), 'INVALID_INPUT');
      if (heldMicros > history.wallet.of('MASTER')) return refusal(act(), 'INSUFFICIENT_CREDITS');
      if (heldMicros > history.wallet.of('MASTER') + history.wallet.of('DEBT'))
        return refusal(act(), 'DEBT_OUTSTANDING');
      history.wallet.move('MASTER', 'REFUND_HOLD', heldMicros);
      return async () => {
        const { id, refundId } = await act();
        if (payment.requests.some((request) => request.id === id)) return;
        payment.requests.push({ id, refundId: refundId!, heldMicros, closing: 0, status: 'requested' });
      };
    },
  },
  /** The owner's request has succeeded or failed. */
  refundArrives: {
    can: ({ history }) => history.payments.some((payment) => openRequests(payment).length > 0),
    async run(scene) {
      const { history, draw } = scene;
      const payments = history.payments.filter((payment) => openRequests(payment).length > 0);
      const payment = nthOf(payments, draw.pick);
      const request = nthOf(openRequests(payment), draw.other);
      const refund = {
        ...newRefund(scene, payment, request.heldMicros / MICROS_PER_PAISA),
        id: request.refundId,
        request,
      };
      // More often of closed accounts, whose credits then stay owed.
      const failed = draw.permille < (history.account === 'open' ? 300 : 700);
      const made = { ...refund, failed, wasProcessed: !failed };
      return tellRefund(scene, payment, made, draw.flag ? request.id : null);
    },
  },
  providerRefund: {
    can: hasPayment,
    async run(scene) {
      const payment = nthOf(scene.history.payments, scene.draw.pick);
      return tellRefund(scene, payment, newRefund(scene, payment, payment.minor), null);
    },
  },
  partialRefund: {
    can: hasPayment,
    async run(scene) {
      const payment = nthOf(scene.history.payments, scene.draw.pick);
      return tellRefund(scene, payment, newRefund(scene, payment, partOf(payment.minor, scene.draw) + 1n), null);
    },
  },
  /** A refund of the first top-up inside its window: the bonus is clawed back, even if it was spent. */
  clawBack: {
    can: ({ history }) => history.referral === 'granted',
    async run(scene) {
      const payment = scene.history.payments[0]!;
      const early = { ...scene, draw: { ...scene.draw, flag: true } };
      return tellRefund(scene, payment, newRefund(early, payment, partOf(payment.minor, scene.draw) / 4n + 1n), null);
    },
  },
  /** A processed refund comes back. */
  reinstate: {
    can: ({ history }) => history.payments.some((payment) => payment.refunds.some((refund) => !refund.failed)),
    async run(scene) {
      const { history, draw } = scene;
      const all = history.payments.flatMap((payment) => payment.refunds.map((refund) => ({ payment, refund })));
      const { payment, refund } = nthOf(
        all.filter((one) => !one.refund.failed),
        draw.pick,
      );
      refund.failed = true;
      history.settle(payment);
      const fact = refundFact(payment, refund, 'failed', null);
      return () => scene.world.tell(fact);
    },
  },
  disputeOpen: {
    can: hasPayment,
    async run({ history, world, draw }) {
      const payment = nthOf(history.payments, draw.pick);
      const dispute: ModelDispute = {
        id: `disp_${newId()}`,
        atMs: payment.capturedAtMs + 100 * HOUR_MS + history.tick() * 1e3,
        minor: partOf(payment.minor, draw) + 1n,
        state: 'open',
        open: 0n,
        lost: 0n,
      };
      payment.disputes.push(dispute);
      history.settle(payment);
      return () => world.tell(disputeFact(payment, dispute, 'open'));
    },
  },
  disputeWon: closing('won'),
  disputeLost: closing('lost'),
} satisfies Record<string, Step>;

function openRequests(payment: PaymentModel) {
  return payment.requests.filter((request) => request.status === 'requested');
}

/** Made inside the window of its payment, or after it. */
function newRefund({ history, draw }: Scene, payment: PaymentModel, minor: bigint): ModelRefund {
  const atMs = payment.capturedAtMs + (draw.flag ? 1 : 49) * HOUR_MS + history.tick() * 1000;
  return {
    id: `rfnd_${newId()}`,
    atMs,
    minor,
    request: null,
    failed: false,
    wasProcessed: true,
    counted: 0n,
    covered: 0n,
  };
}

function tellRefund(
  { history, world }: Scene,
  payment: PaymentModel,
  refund: ModelRefund,
  requestKey: string | null,
): Promise<() => Promise<unknown>> {
  payment.refunds.push(refund);
  history.settle(payment);
  const fact = refundFact(payment, refund, refund.failed ? 'failed' : 'processed', requestKey);
  return Promise.resolve(() => world.tell(fact));
}

function refundFact(
  { id: paymentId }: PaymentModel,
  { id: refundId, minor, atMs }: ModelRefund,
  state: 'processed' | 'failed',
  requestKey: string | null,
): PaymentFact {
  const createdAt = new Date(atMs);
  return { kind: 'refund', refundId, paymentId, amountMinor: minor, currency: 'INR', state, createdAt, requestKey };
}

function disputeFact(
  { id: paymentId }: PaymentModel,
  { id: disputeId, minor, atMs }: ModelDispute,
  state: ModelDispute['state'],
): PaymentFact {
  const createdAt = new Date(atMs);
  const outcome = { state, lostMinor: state === 'lost' ? minor : null, isReturned: state === 'won' };
  return { kind: 'dispute', disputeId, paymentId, amountMinor: minor, currency: 'INR', ...outcome, createdAt };
}

function closing(state: 'won' | 'lost'): Step {
  const openOf = (payment: PaymentModel) => payment.disputes.filter((dispute) => dispute.state === 'open');
  return {
    can: ({ history }) => history.payments.some((payment) => openOf(payment).length > 0),
    async run({ history, world, draw }) {
      const payment = nthOf(
        history.payments.filter((one) => openOf(one).length > 0),
        draw.pick,
      );
      const dispute = nthOf(openOf(payment), draw.other);
      dispute.state = state;
      history.settle(payment);
      return () => world.tell(disputeFact(payment, dispute, state));
    },
  };
}
