/**
 * The pay page of the payment sandbox, at `/sandbox`: plain forms, no script.
 *
 *   GET  /pay/{order}                                what is to be paid, or what became of it
 *   POST /pay/{order}/pay                            how=pay|fail|…, payer; then back to where the payer came from
 *   POST /pay/{order}/deliver
 *   POST /pay/{order}/payments/{payment}/{capture|refund|refunds-fail|dispute}
 *   POST /pay/{order}/disputes/{dispute}             outcome=won|lost
 *
 * As at a provider, there is no sign-in: an order's id is unguessable and opens its page.
 */
import express, { Router, type Request, type Response } from 'express';

import { AppError, toAppError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import type { PaymentSandbox } from '../../ports/paymentSandbox.js';
import { PAY_CSS } from './payCss.js';
import { WAYS } from './payForm.js';
import { payPage, problemPage } from './page.js';
import { minorOf } from './words.js';

const MAX_FORM_BYTES = 8 * 1024;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

export interface SandboxRouterDeps {
  readonly sandbox: PaymentSandbox;
  readonly logger: Logger;
}

export function createSandboxRouter({ sandbox, logger }: SandboxRouterDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(express.urlencoded({ extended: false, limit: MAX_FORM_BYTES }));
  router.use((req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    // The address opens the page, so it must not leak to other sites.
    res.setHeader('Referrer-Policy', 'same-origin');
    if (req.method === 'POST') refuseForeignForm(req);
    next();
  });

  router.get('/pay.css', (_req, res) => {
    res.setHeader('Cache-Control', 'public, max-age=300');
    res.type('text/css').send(PAY_CSS);
  });

  router.get('/pay/:order', async (req, res) => {
    sendPage(res, 200, payPage(await sandbox.view(req.params.order), null));
  });

  router.post('/pay/:order/pay', async (req, res) => {
    const orderId = req.params.order;
    const how = WAYS[field(req, 'how')];
    const payerEmail = field(req, 'payer').trim();
    if (!how || !EMAIL.test(payerEmail)) throw new AppError('INVALID_INPUT', 'Please give the payer’s email address.');
    await sandbox.pay(orderId, { ...how, payerEmail });
    const { order } = await sandbox.view(orderId);
    res.redirect(303, order.returnUrl);
  });

  router.post('/pay/:order/deliver', async (req, res) => {
    await sandbox.deliverNow(req.params.order);
    backToPage(req, res);
  });

  router.post('/pay/:order/payments/:payment/capture', async (req, res) => {
    await sandbox.capture(req.params.order, req.params.payment);
    backToPage(req, res);
  });

  router.post('/pay/:order/payments/:payment/refund', async (req, res) => {
    const how = field(req, 'how');
    const amountMinor = how === 'all' ? null : minorOf(field(req, 'amount'));
    if (how !== 'all' && amountMinor === null)
      throw new AppError('INVALID_INPUT', 'Please give an amount such as 10.50.');
    await sandbox.refund(req.params.order, req.params.payment, amountMinor, how !== 'fail');
    backToPage(req, res);
  });

  router.post('/pay/:order/payments/:payment/refunds-fail', async (req, res) => {
    await sandbox.letRefundsFail(req.params.order, req.params.payment, field(req, 'fail') === 'yes');
    backToPage(req, res);
  });

  router.post('/pay/:order/payments/:payment/dispute', async (req, res) => {
    await sandbox.dispute(req.params.order, req.params.payment);
    backToPage(req, res);
  });

  router.post('/pay/:order/disputes/:dispute', async (req, res) => {
    const outcome = field(req, 'outcome') === 'won' ? 'won' : 'lost';
    await sandbox.closeDispute(req.params.order, req.params.dispute, outcome);
    backToPage(req, res);
  });

  router.use(async (thrown: unknown, req: Request, res: Response, _next: unknown) => {
    const error = toAppError(thrown);
    if (error.wake) logger.error({ scope: 'payments', err: thrown }, 'the payment sandbox failed');
    const page = error.status < 500 ? await pageWith(sandbox, req, error.message) : null;
    sendPage(res, error.status, page ?? problemPage('This cannot be shown', error.message));
  });

  return router;
}

/** The order's page with an error message; `null` if there is no such order. */
async function pageWith(sandbox: PaymentSandbox, req: Request, problem: string): Promise<string | null> {
  const orderId = /^\/pay\/(\w+)/.exec(req.path)?.[1];
  if (orderId === undefined) return null;
  try {
    return payPage(await sandbox.view(orderId), problem);
  } catch {
    return null;
  }
}

/** A form on another site cannot know an order's id. It is refused even if it does. */
function refuseForeignForm(req: Request): void {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new AppError('FORBIDDEN', 'Please use the form on the pay page.');
  }
}

function field(req: Request, name: string): string {
  const value = (req.body as Record<string, unknown> | undefined)?.[name];
  return typeof value === 'string' ? value : '';
}

function backToPage(req: Request, res: Response): void {
  res.redirect(303, `/sandbox/pay/${String(req.params['order'])}`);
}

function sendPage(res: Response, status: number, page: string): void {
  res.status(status).type('html').send(page);
}
