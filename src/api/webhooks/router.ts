/**
 * Where payment providers report, at `/webhooks`.
 *
 *   POST /{provider}   raw body → signature → one insert → 200. Everything else happens afterwards.
 *   ANY  /return       where a provider's pay page sends the payer's browser; it then goes to the page named in `to`.
 */
import express, { Router, type Request, type Response } from 'express';

import { AppError, errorBody, toAppError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import type { PaymentProvider, ProviderName, SignedEvent } from '../../ports/paymentProvider.js';

const MAX_BODY_BYTES = 1024 * 1024;
const RETRY_AFTER_SECONDS = 5;

/** Stores webhooks, once per provider and event. */
export interface WebhookInbox {
  /** Resolves once it is stored; another delivery of a known event changes nothing. */
  receive(provider: ProviderName, event: SignedEvent, rawBody: Buffer): Promise<unknown>;
  /** There is something to process. Returns at once. */
  wake(): void;
}

export interface WebhookRouterDeps {
  readonly providers: ReadonlyMap<ProviderName, PaymentProvider>;
  readonly inbox: WebhookInbox;
  readonly publicUrl: string;
  readonly logger: Logger;
}

export function createWebhookRouter(deps: WebhookRouterDeps): Router {
  const { providers, inbox, publicUrl, logger } = deps;
  const router = Router({ caseSensitive: true, strict: true });
  // Any content type: the signature is over bytes. Compressed bodies would be other bytes, so they are refused.
  const rawBody = express.raw({ type: () => true, limit: MAX_BODY_BYTES, inflate: false });

  router.all('/return', (req, res) => {
    res.setHeader('Cache-Control', 'no-store');
    res.redirect(303, ownPage(req.query['to'], publicUrl));
  });

  router.post('/:provider', rawBody, async (req, res) => {
    const provider = providerOf(providers, req.params['provider']);
    const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    const event = provider.verify(body, req.headers);
    await inbox.receive(provider.name, event, body);
    res.setHeader('Cache-Control', 'no-store');
    res.json({ received: true });
    inbox.wake();
  });

  router.all('/:provider', (req, res) => {
    providerOf(providers, req.params['provider']);
    res.setHeader('Allow', 'POST');
    throw new AppError('METHOD_NOT_ALLOWED', 'Use POST.');
  });

  router.use(() => {
    throw new AppError('NOT_FOUND', 'Not found.');
  });

  router.use((thrown: unknown, _req: Request, res: Response, _next: unknown) => {
    const error = sendError(res, thrown);
    if (error.wake) logger.error({ scope: 'payments', err: thrown }, 'a webhook could not be received');
  });

  return router;
}

function providerOf(providers: WebhookRouterDeps['providers'], name: unknown): PaymentProvider {
  const provider = name === 'razorpay' || name === 'stripe' ? providers.get(name) : undefined;
  if (!provider) throw new AppError('NOT_FOUND', 'Payment provider not found.');
  return provider;
}

/** Returns a page of ours, or the home page: this must not be an open redirect. */
function ownPage(to: unknown, publicUrl: string): string {
  const page = typeof to === 'string' && URL.canParse(to, publicUrl) ? new URL(to, publicUrl) : null;
  return page?.origin === new URL(publicUrl).origin ? page.href : publicUrl;
}

function sendError(res: Response, thrown: unknown): AppError {
  const error = bodyFault(thrown) ?? toAppError(thrown);
  const { status } = error;
  res.setHeader('Cache-Control', 'no-store');
  if (status === 503) res.setHeader('Retry-After', String(RETRY_AFTER_SECONDS));
  res.status(status).json(errorBody(error));
  return error;
}

/** Errors of the body parser and the router carry their own status. */
function bodyFault(thrown: unknown): AppError | null {
  const status = thrown instanceof Error && 'status' in thrown && !(thrown instanceof AppError) ? thrown.status : null;
  if (status === 413) return new AppError('FILE_TOO_LARGE', 'The body can have at most 1 MB.');
  if (thrown instanceof URIError) return new AppError('NOT_FOUND', 'Not found.');
  return typeof status === 'number' && status >= 400 && status < 500
    ? new AppError('INVALID_INPUT', 'The body cannot be read.')
    : null;
}
