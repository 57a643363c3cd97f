import { verifyWebhook, WebhookVerificationError } from '@dhara/client';

const MAX_BODY_BYTES = 1_000_000;

// The signature covers the bytes that were sent, so Next.js must not parse the body first.
export const config = { api: { bodyParser: false } };

/** POST /hooks: events from Dhara. */
export default async function handler(req, res) {
  if (req.method !== 'POST') {
    res.status(405).setHeader('Allow', 'POST').end();
    return;
  }
  const body = await bodyOf(req);
  if (body === null) {
    res.status(413).end();
    return;
  }
  try {
    const event = await verifyWebhook(body, req.headers, process.env.DHARA_WEBHOOK_SECRET ?? '');
    // An event can arrive more than once. If you act on it, store its id, and skip ids that you have.
    console.log(`webhook ${event.id} ${event.type} ${JSON.stringify(event.data)}`);
    res.status(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.error(`webhook refused: ${error.message}`);
    res.status(400).setHeader('Content-Type', 'text/plain').end('Not signed by Dhara');
  }
}

/** `null` if the body is too large. */
async function bodyOf(req) {
  const chunks = [];
  let sizeBytes = 0;
  for await (const chunk of req) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
