import type { SandboxDispute, SandboxOrder, SandboxPayment, SandboxRefund } from '../../ports/paymentSandbox.js';
import { html, type Html } from './html.js';
import { decimal, money, timeTag } from './words.js';

const STATES = {
  authorized: ['Authorized', ''],
  captured: ['Paid', 'good'],
  failed: ['Failed', 'bad'],
  pending: ['Under way', ''],
  processed: ['Refunded', 'good'],
  open: ['Open', ''],
  won: ['Won', 'good'],
  lost: ['Lost', 'bad'],
} as const;

/** The state of one payment, and the possible next actions. */
export function paymentPanel(order: SandboxOrder, payment: SandboxPayment): Html {
  const action = `/sandbox/pay/${order.orderId}/payments/${payment.paymentId}`;
  const id = `payment-${payment.paymentId}`;
  const disputable = payment.state === 'captured' && !payment.disputes.some(({ state }) => state === 'open');
  return html`<section class="panel" aria-labelledby="${id}">
    <div class="row">
      <h2 id="${id}" class="field">Payment of ${money(payment.amountMinor, order.currency)}</h2>
      ${stateTag(payment.state)}
    </div>
    <dl>
      <dt>Payment</dt>
      <dd><code>${payment.paymentId}</code></dd>
      <dt>Payer</dt>
      <dd>${payment.payerEmail}</dd>
      <dt>Made</dt>
      <dd>${timeTag(payment.createdAt)}</dd>
    </dl>
    ${payment.state === 'authorized' && captureForm(action)}
    ${payment.refunds.length > 0 && refundList(order, payment.refunds)}
    ${payment.refundableMinor > 0n && refundForm(action, payment, order)}
    ${payment.disputes.length > 0 && disputeList(order, payment.disputes)} ${disputable && disputeForm(action)}
  </section>`;
}

function stateTag(state: keyof typeof STATES): Html {
  const [words, look] = STATES[state];
  return html`<span class="state ${look}">${words}</span>`;
}

function captureForm(action: string): Html {
  return html`<form method="post" action="${action}/capture">
    <div class="row"><button class="main">Take the money</button></div>
  </form>`;
}

function refundList(order: SandboxOrder, refunds: readonly SandboxRefund[]): Html {
  return html`<hr />
    <h3>Refunds</h3>
    <ul>
      ${refunds.map(
        (refund) =>
          html`<li>
            <span>${money(refund.amountMinor, order.currency)} · ${timeTag(refund.createdAt)}</span
            >${stateTag(refund.state)}
          </li>`,
      )}
    </ul>`;
}

/** These refunds simulate the provider's console; refunds by Dhara go through the provider port. */
function refundForm(action: string, payment: SandboxPayment, order: SandboxOrder): Html {
  const field = `amount-${payment.paymentId}`;
  return html`<hr />
    <form method="post" action="${action}/refund">
      <div class="field">
        <label for="${field}">Refund in the provider’s console (${order.currency})</label>
        <input
          id="${field}"
          name="amount"
          inputmode="decimal"
          value="${decimal(payment.refundableMinor)}"
          autocomplete="off"
        />
      </div>
      <div class="choices">
        <button name="how" value="all">Refund all that is left</button>
        <button name="how" value="part">Refund this amount</button>
        <button name="how" value="fail">Refund that fails</button>
      </div>
    </form>
    <form method="post" action="${action}/refunds-fail">
      <p class="quiet">Refunds that Dhara asks for ${payment.refundsFail ? 'fail' : 'succeed'} at the moment.</p>
      <div class="row">
        <button name="fail" value="${payment.refundsFail ? 'no' : 'yes'}">
          Let them ${payment.refundsFail ? 'succeed' : 'fail'}
        </button>
      </div>
    </form>`;
}

function disputeList(order: SandboxOrder, disputes: readonly SandboxDispute[]): Html {
  return html`<hr />
    <h3>Disputes</h3>
    <ul>
      ${disputes.map(
        (dispute) =>
          html`<li>
            <span>${money(dispute.amountMinor, order.currency)} · ${timeTag(dispute.createdAt)}</span
            >${stateTag(dispute.state)} ${dispute.state === 'open' && closeForm(order.orderId, dispute.disputeId)}
          </li>`,
      )}
    </ul>`;
}

function closeForm(orderId: string, disputeId: string): Html {
  return html`<form method="post" action="/sandbox/pay/${orderId}/disputes/${disputeId}">
    <span class="row">
      <button name="outcome" value="won">Dhara wins</button>
      <button name="outcome" value="lost">Dhara loses</button>
    </span>
  </form>`;
}

function disputeForm(action: string): Html {
  return html`<hr />
    <form method="post" action="${action}/dispute">
      <div class="row"><button>Open a dispute</button></div>
    </form>`;
}
