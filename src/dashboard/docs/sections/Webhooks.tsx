import { Code } from '../parts/Code.js';
import { Note, Part, Section, Table } from '../parts/Text.js';

const RAZORPAY = ['payment.captured', 'order.paid', 'refund.processed', 'refund.failed', 'payment.dispute.*'];
const STRIPE = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'refund.created, refund.updated, refund.failed',
  'charge.dispute.*',
];

const SETTINGS = `RAZORPAY_KEY_ID=rzp_live_…
RAZORPAY_KEY_SECRET=…
RAZORPAY_WEBHOOK_SECRET=…

STRIPE_SECRET_KEY=sk_live_…
STRIPE_WEBHOOK_SECRET=whsec_…
USD_INR_RATE_URL=https://…          # or USD_INR_RATE with USD_INR_RATE_DATE`;

function Events({ names }: { names: readonly string[] }) {
  return names.map((name, index) => (
    <span key={name}>
      {index > 0 ? ', ' : ''}
      <code>{name}</code>
    </span>
  ));
}

/** For operators of the service: how payments become credits. */
export function Webhooks() {
  const { origin } = location;
  return (
    <Section id="webhooks" title="Payment webhooks">
      <p>
        This topic is for operators of the service. Only the payment provider’s signed webhook credits a top-up. Neither
        the payer’s return to the dashboard nor a query to the provider does.
      </p>
      <Part id="webhooks-endpoints" title="Endpoints" />
      <p>Add these endpoints in the providers’ dashboards, with at least these events:</p>
      <Table
        label="Webhook endpoints"
        head={['Provider', 'Address', 'Events']}
        rows={[
          ['Razorpay', <code key="address">{origin}/webhooks/razorpay</code>, <Events key="events" names={RAZORPAY} />],
          ['Stripe', <code key="address">{origin}/webhooks/stripe</code>, <Events key="events" names={STRIPE} />],
        ]}
      />
      <Part id="webhooks-secrets" title="Keys and secrets" />
      <p>Set these in the service’s environment. In production, a provider without keys is not offered.</p>
      <Code title="Environment" code={SETTINGS} />
      <p>
        To rotate a webhook secret without losing events, set both as <code>new,old</code> for a day. Events with an
        invalid signature get a 400 response and are not stored.
      </p>
      <Part id="webhooks-order" title="Late, repeated and reordered events" />
      <ul>
        <li>Each event is stored as received before the response, and processed afterwards.</li>
        <li>A payment is credited once, no matter how many events report it.</li>
        <li>A refund or dispute of an unknown payment waits until the payment arrives.</li>
        <li>
          If the amount, currency or order does not match, nothing is credited: the money is held in suspense, and staff
          are alerted.
        </li>
        <li>
          If the provider reports a payment as paid but sends no webhook within 15 minutes, an alert is raised. Resend
          the event from the provider’s dashboard.
        </li>
      </ul>
      <p>Support staff see every event with its body, and can replay one.</p>
      <Part id="webhooks-sandbox" title="The sandbox" />
      <p>
        Outside production, a provider without keys is a sandbox. Its pay page can pay, fail, delay or drop the webhook,
        refund and dispute, and sends the provider’s events with real signatures to the endpoints above. No money moves.
      </p>
      <Note>
        To hear from us when a video is ready, add an endpoint on the Webhooks page, or look at <code>status</code> in{' '}
        <code>GET /v1/video/{'{videoId}'}</code>. That is never throttled.
      </Note>
    </Section>
  );
}
