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
        This chapter is for whoever runs the service. A top-up is credited when the payment provider’s signed webhook
        says that it is paid, and by nothing else: not by the payer’s browser coming back, and not by asking the
        provider.
      </p>
      <Part id="webhooks-endpoints" title="Endpoints" />
      <p>Enter these in the providers’ dashboards, with at least these events:</p>
      <Table
        label="Webhook endpoints"
        head={['Provider', 'Address', 'Events']}
        rows={[
          ['Razorpay', <code key="address">{origin}/webhooks/razorpay</code>, <Events key="events" names={RAZORPAY} />],
          ['Stripe', <code key="address">{origin}/webhooks/stripe</code>, <Events key="events" names={STRIPE} />],
        ]}
      />
      <Part id="webhooks-secrets" title="Keys and secrets" />
      <p>Settings of the service. A provider whose keys are missing is not offered in production.</p>
      <Code title="Environment" code={SETTINGS} />
      <p>
        To change a webhook secret without losing an event, give both as <code>new,old</code> for a day. A signature
        that does not hold is answered with 400 and kept nowhere.
      </p>
      <Part id="webhooks-order" title="Late, twice, or in any order" />
      <ul>
        <li>An event is stored as it came before it is answered, and worked through afterwards.</li>
        <li>The same payment is credited once, however often and by whichever events it is reported.</li>
        <li>A refund or a dispute of a payment that is not known yet waits for it.</li>
        <li>
          An amount, a currency or an order that does not match credits nothing: it is kept in suspense, and staff are
          alerted.
        </li>
        <li>
          What the provider calls paid without telling us within a quarter of an hour raises an alert. Have its
          dashboard send the event again.
        </li>
      </ul>
      <p>Support staff see every event with its body, and can replay one.</p>
      <Part id="webhooks-sandbox" title="The sandbox" />
      <p>
        Outside production, a provider without keys is a sandbox. Its pay page pays, fails, reports late or never,
        refunds and disputes at the press of a button, and sends the provider’s own events with real signatures to the
        addresses above. No money moves.
      </p>
      <Note>
        The service sends no webhooks to you yet: to know when a video is ready, look at <code>status</code> in{' '}
        <code>GET /v1/video/{'{videoId}'}</code>. That is never throttled.
      </Note>
    </Section>
  );
}
