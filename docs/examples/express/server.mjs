// A small video site: lists the account's videos, plays them, and receives webhooks.
import { join } from 'node:path';

import { Dhara, verifyWebhook, WebhookVerificationError } from '@dhara/client';
import express from 'express';

import { failureOf } from './failures.mjs';
import { errorPage, listPage, videoPage } from './pages.mjs';

const { DHARA_URL = 'http://localhost:4000', DHARA_KEY, DHARA_WEBHOOK_SECRET = '', PORT = '3000' } = process.env;
if (!DHARA_KEY) {
  console.error('Set DHARA_KEY to an API key of your account.');
  process.exit(1);
}

// A visitor is waiting, so give up earlier than the client does by default.
const dhara = new Dhara({ baseUrl: DHARA_URL, apiKey: DHARA_KEY, timeoutMs: 5_000, maxRetries: 1 });

const app = express();
app.disable('x-powered-by');
app.use(express.static(join(import.meta.dirname, 'public')));

app.get('/', async (req, res) => {
  const { cursor } = req.query;
  const position = typeof cursor === 'string' ? { cursor } : {};
  const { data: videos, pagination } = await dhara.listVideos({ status: 'ready', limit: 12, ...position });
  res.send(listPage({ videos, nextCursor: pagination.nextCursor, isFirst: cursor === undefined }));
});

// Each load of this page uses one of the key's tokens. The video comes first: a 404 uses none.
app.get('/videos/:id', async (req, res) => {
  const { data: video } = await dhara.getVideo(req.params.id);
  const { data, rateLimit } = await dhara.createPlaybackToken(video.id);
  res.set('Cache-Control', 'no-store').send(videoPage({ video, token: data.token, rateLimit, dharaUrl: DHARA_URL }));
});

// The player asks for a fresh token if the page was open for more than five minutes before somebody pressed play.
app.post('/videos/:id/token', async (req, res) => {
  const { data } = await dhara.createPlaybackToken(req.params.id);
  res.set('Cache-Control', 'no-store').type('text').send(data.token);
});

// The signature covers the bytes that were sent, so the body must not be parsed first.
app.post('/hooks', express.raw({ type: () => true, limit: '1mb' }), async (req, res) => {
  try {
    const event = await verifyWebhook(req.body ?? '', req.headers, DHARA_WEBHOOK_SECRET);
    // An event can arrive more than once. If you act on it, store its id, and skip ids that you have.
    console.log(`webhook ${event.id} ${event.type} ${JSON.stringify(event.data)}`);
    res.sendStatus(204);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.error(`webhook refused: ${error.message}`);
    res.status(400).type('text').send('Not signed by Dhara');
  }
});

app.use((_req, res) => {
  res.status(404).send(errorPage({ title: 'Page not found', text: 'There is nothing at this address.' }));
});

// Express takes a function with four parameters for the one that handles errors.
app.use((error, _req, res, next) => {
  if (res.headersSent) {
    next(error);
    return;
  }
  const { status, title, text, retryAfterSeconds } = failureOf(error);
  if (status >= 500) console.error(error);
  if (retryAfterSeconds !== null) res.set('Retry-After', String(Math.ceil(retryAfterSeconds)));
  res.status(status).set('Cache-Control', 'no-store').send(errorPage({ title, text }));
});

app.listen(Number(PORT), (error) => {
  if (error) throw error;
  console.log(`The site is at http://localhost:${PORT}`);
});
