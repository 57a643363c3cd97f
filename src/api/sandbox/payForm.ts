import type { SandboxOrder, SandboxPay } from '../../ports/paymentSandbox.js';
import { html, type Html } from './html.js';

type How = Omit<SandboxPay, 'payerEmail'>;

const PAID: How = { outcome: 'captured', deliverAfterSeconds: 0, deliveries: 1, payments: 1 };

/** The ways to pay, by the value of the pressed button. */
export const WAYS: Readonly<Record<string, How>> = {
  pay: PAID,
  fail: { ...PAID, outcome: 'failed' },
  authorize: { ...PAID, outcome: 'authorized' },
  'late-minute': { ...PAID, deliverAfterSeconds: 60 },
  'late-minutes': { ...PAID, deliverAfterSeconds: 20 * 60 },
  'late-days': { ...PAID, deliverAfterSeconds: 3 * 24 * 3600 },
  duplicate: { ...PAID, deliveries: 5 },
  twice: { ...PAID, payments: 2 },
  silent: { ...PAID, deliverAfterSeconds: null },
};

/** One form; the submit button decides what happens. */
export function payForm(order: SandboxOrder): Html {
  return html`<section class="panel" aria-labelledby="how">
    <h2 id="how">What should happen?</h2>
    <form method="post" action="/sandbox/pay/${order.orderId}/pay">
      <div class="field">
        <label for="payer">Payer’s email</label>
        <input
          id="payer"
          name="payer"
          type="email"
          required
          maxlength="254"
          value="${order.payerEmail}"
          autocomplete="off"
        />
      </div>
      <div class="row">${way('pay', 'Pay now', 'main')}</div>
      <div class="choices">${way('fail', 'Fail')} ${way('authorize', 'Only authorize')}</div>
      <fieldset>
        <legend>Pay, but report it late</legend>
        <div class="choices">
          ${way('late-minute', 'After 1 minute')} ${way('late-minutes', 'After 20 minutes')}
          ${way('late-days', 'After 3 days')}
        </div>
      </fieldset>
      <fieldset>
        <legend>Pay, but report it badly</legend>
        <div class="choices">
          ${way('duplicate', 'Five times over')} ${way('silent', 'Not at all')}
          ${order.provider === 'razorpay' && way('twice', 'Pay twice')}
        </div>
      </fieldset>
    </form>
  </section>`;
}

function way(value: string, words: string, look = ''): Html {
  return html`<button name="how" value="${value}" class="${look}">${words}</button>`;
}
