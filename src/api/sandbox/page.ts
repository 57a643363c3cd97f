import type { SandboxOrderView, SandboxWebhook } from '../../ports/paymentSandbox.js';
import { html, type Html } from './html.js';
import { payForm } from './payForm.js';
import { paymentPanel } from './paymentPanel.js';
import { money, providerName, timeTag } from './words.js';

const MARK = html`<svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
  <rect width="32" height="32" rx="8" fill="#0b7485" />
  <path
    d="M8 10.2c2.6-1.9 4.4 1.5 7-.4M8 16.3c3.4-2.3 5.4 1.9 8.8-.3 2.8-1.8 4.4.8 7.2 0M8 22.2c2.6-1.9 4.4 1.5 7-.4"
    fill="none"
    stroke="#fff"
    stroke-width="2.8"
    stroke-linecap="round"
  />
</svg>`;

/** The page of one order: the payment form, or the outcome. */
export function payPage(view: SandboxOrderView, problem: string | null): string {
  const { order } = view;
  const amount = money(order.amountMinor, order.currency);
  return document(
    `Pay ${amount}`,
    html`
      ${banner()} ${problem === null ? null : problemNote(problem)}
      <section class="panel" aria-labelledby="what">
        <h1 id="what">${order.description}</h1>
        <p class="amount">${amount}</p>
        <dl>
          <dt>Stands in for</dt>
          <dd>${providerName(order.provider)}</dd>
          <dt>Order</dt>
          <dd><code>${order.orderId}</code></dd>
        </dl>
        <a class="button" href="${order.returnUrl}">Back to Dhara</a>
      </section>
      ${order.payable ? payForm(order) : null} ${order.expired && view.payments.length === 0 ? expiredNote() : null}
      ${view.payments.map((payment) => paymentPanel(order, payment))}
      ${view.webhooks.length > 0 ? webhookPanel(order.orderId, view.webhooks) : null}
    `,
  );
}

/** A page with only an error message. */
export function problemPage(title: string, message: string): string {
  return document(
    title,
    html`${banner()}
      <section class="panel">
        <h1>${title}</h1>
        <p>${message}</p>
      </section>`,
  );
}

function document(title: string, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · Dhara payment sandbox</title>
        <link rel="icon" href="/favicon.svg" />
        <link rel="stylesheet" href="/sandbox/pay.css" />
      </head>
      <body>
        <header>${MARK}<span>Dhara payment sandbox</span></header>
        <main>${body}</main>
      </body>
    </html>`.text;
}

function banner(): Html {
  return html`<aside class="notice" aria-label="About this page">
    <strong>No real money</strong>
    This page stands in for a payment provider while you try Dhara out. Nothing is charged, and no card is asked for.
  </aside>`;
}

function problemNote(problem: string): Html {
  return html`<p class="notice problem" role="alert"><strong>That did not work</strong>${problem}</p>`;
}

function expiredNote(): Html {
  return html`<p class="panel">This checkout has run out. Go back and start a new top-up.</p>`;
}

function webhookPanel(orderId: string, webhooks: readonly SandboxWebhook[]): Html {
  const waiting = webhooks.some(({ deliveredAt }) => deliveredAt === null);
  return html`<section class="panel" aria-labelledby="sent">
    <h2 id="sent">What was reported to Dhara</h2>
    <ul>
      ${webhooks.map((webhook) => html`<li><code>${webhook.type}</code><span class="when">${stateOf(webhook)}</span></li>`)}
    </ul>
    ${
      waiting &&
      html`<form method="post" action="/sandbox/pay/${orderId}/deliver">
        <div class="row"><button>Deliver what is missing now</button></div>
      </form>`
    }
  </section>`;
}

function stateOf({ deliveredAt, dueAt, attempts, lastStatus }: SandboxWebhook): Html {
  if (deliveredAt !== null) return html`<span class="good">delivered</span> ${timeTag(deliveredAt)}`;
  const tried = attempts > 0 ? html`tried ${attempts}×, last response ${lastStatus ?? 'none'}; ` : null;
  if (dueAt === null) return html`${tried}<span class="bad">held back</span>`;
  return html`${tried}due ${timeTag(dueAt)}`;
}
