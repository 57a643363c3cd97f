/**
 * Downloads: statements, receipts, tax invoices, credit notes and analytics, authenticated by the dashboard's session.
 *
 * - `GET /statements/2026-10.csv` and `.pdf`
 * - `GET /top-ups/{id}/receipt.pdf`
 * - `GET /top-ups/{id}/credit-notes/{refundId}.pdf`
 * - `GET /ledger.csv`, and `bucket`, `type`, `from`, `to`, `video` as the filter of the ledger's page
 * - `GET /videos/{videoId}/original`: the uploaded file, in parts if asked for; only for its owner's own session
 * - `GET /analytics.csv?from=2026-10-01&to=2026-10-31`, and `granularity`, `videoId`, `dimension` as in GraphQL
 * - `GET /my-data.ndjson`: all that the account holds, for its owner alone
 *
 * With `?mode=test`, analytics and files are those of test videos.
 *
 * Each belongs to the viewer's own account; of documents, support staff may name another with `?account=`. Missing documents and
 * those of other accounts are both 404.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { Router, type NextFunction, type Request, type Response } from 'express';

import type { DataDownloads } from '../../domain/accounts/dataDownload.js';
import { assertStaff } from '../../domain/accounts/staff.js';
import { liveModeOnly } from '../../domain/accounts/testMode/testMode.service.js';
import type { Viewer } from '../../domain/accounts/viewer.js';
import type { WalletService } from '../../domain/ledger/wallet.service.js';
import type { SourceService } from '../../domain/media/library/source.service.js';
import type { Invoice, InvoiceService } from '../../domain/payments/billing/invoice.service.js';
import { fileNameOf, invoiceDocument } from '../../domain/payments/billing/invoiceDocument.js';
import { ledgerCsv } from '../../domain/payments/billing/ledgerCsv.js';
import type { Seller } from '../../domain/payments/billing/seller.js';
import type { StatementService } from '../../domain/payments/billing/statement.service.js';
import { statementCsv } from '../../domain/payments/billing/statementCsv.js';
import { statementDocument } from '../../domain/payments/billing/statementDocument.js';
import { analyticsCsv } from '../../domain/playback/analytics/analyticsCsv.js';
import type { AnalyticsQuestion, AnalyticsService } from '../../domain/playback/analytics/analytics.service.js';
import { DIMENSIONS } from '../../domain/playback/analytics/rollups.js';
import { isDay } from '../../domain/shared/day.js';
import { isUuid, parseVideoId } from '../../domain/shared/ids.js';
import { AppError, errorBody, toAppError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import type { DocumentWriter } from '../../ports/documents.js';
import { ledgerFilterOf } from './ledgerQuery.js';
import { sendOriginal } from './original.js';

export interface DocumentRouterDeps {
  readonly statements: StatementService;
  readonly invoices: InvoiceService;
  readonly analytics: Pick<AnalyticsService, 'analytics'>;
  readonly wallet: Pick<WalletService, 'lines' | 'videoTitles'>;
  readonly sources: Pick<SourceService, 'open'>;
  /** All that an account holds, as lines of JSON. */
  readonly personalData: (accountId: string, signal?: AbortSignal) => AsyncIterable<string>;
  readonly dataDownloads: Pick<DataDownloads, 'run'>;
  readonly writer: DocumentWriter;
  readonly seller: Seller;
  readonly viewerOf: (req: IncomingMessage) => Promise<Viewer | null>;
  readonly logger: Logger;
}

export function createDocumentRouter(deps: DocumentRouterDeps): Router {
  const { statements, invoices, analytics, sources, wallet, seller } = deps;
  const router = Router({ caseSensitive: true });

  router.use((req, res, next) => {
    res.setHeader('Cache-Control', 'private, no-store');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    if (req.method === 'GET' || req.method === 'HEAD') {
      next();
      return;
    }
    res.setHeader('Allow', 'GET, HEAD');
    throw new AppError('METHOD_NOT_ALLOWED', 'Use GET or HEAD.');
  });

  router.get('/statements/:month.csv', async (req, res) => {
    const statement = await statements.open(await walletOf(deps, req), req.params.month);
    announce(res, 'text/csv; charset=utf-8', `dhara-statement-${statement.month.name}.csv`);
    await send(req, res, (signal) => pipeline(Readable.from(statementCsv(statement, signal)), res, { signal }));
  });

  router.get('/statements/:month.pdf', async (req, res) => {
    const statement = await statements.open(await walletOf(deps, req), req.params.month);
    announce(res, deps.writer.mediaType, `dhara-statement-${statement.month.name}.pdf`);
    await send(req, res, (signal) => deps.writer.write(statementDocument(statement, seller, signal), res, signal));
  });

  router.get('/top-ups/:topUpId/receipt.pdf', async (req, res) => {
    const invoice = await invoices.ofTopUp(await walletOf(deps, req), req.params.topUpId);
    await sendInvoice(deps, req, res, invoice);
  });

  router.get('/top-ups/:topUpId/credit-notes/:refundId.pdf', async (req, res) => {
    const { topUpId, refundId } = req.params;
    const invoice = await invoices.creditNote(await walletOf(deps, req), topUpId, refundId);
    await sendInvoice(deps, req, res, invoice);
  });

  router.get('/analytics.csv', async (req, res) => {
    const accountId = await accountOf(deps, req);
    const question = questionOf(req);
    const found = await analytics.analytics(accountId, question);
    announce(res, 'text/csv; charset=utf-8', `dhara-analytics-${question.from}-${question.to}.csv`);
    res.end(req.method === 'HEAD' ? undefined : analyticsCsv(question, found));
  });

  router.get('/ledger.csv', async (req, res) => {
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const records = await ledgerCsv(wallet, await walletOf(deps, req), ledgerFilterOf(req), gone.signal);
    announce(res, 'text/csv; charset=utf-8', 'dhara-ledger.csv');
    await send(req, res, (signal) => pipeline(Readable.from(records), res, { signal }));
  });

  router.get('/videos/:videoId/original', async (req, res) => {
    const { accountId } = await viewerIn(deps, req);
    const videoId = parseVideoId(req.params.videoId);
    if (videoId === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    await sendOriginal(req, res, await sources.open(accountId, videoId));
  });

  router.get('/my-data.ndjson', async (req, res) => {
    const viewer = await viewerIn(deps, req);
    if (viewer.accessToken !== null) {
      throw new AppError('FORBIDDEN', 'Access tokens cannot do this. Sign in to the dashboard.');
    }
    if (viewer.mode === 'test') throw liveModeOnly();
    const { accountId } = viewer;
    await deps.dataDownloads.run(accountId, async (whileHeld) => {
      announce(res, 'application/x-ndjson', 'dhara-my-data.ndjson');
      await send(req, res, (signal) =>
        pipeline(Readable.from(whileHeld(deps.personalData(accountId, signal))), res, { signal }),
      );
    });
  });

  router.use(() => {
    throw new AppError('NOT_FOUND', 'Document not found.');
  });

  router.use((thrown: unknown, req: Request, res: Response, _next: NextFunction) => {
    // The client has disconnected: nothing to send, nothing to log.
    if (req.socket.destroyed || res.destroyed) return;
    // A path with invalid percent-encoding names no document.
    const isBadPath = thrown instanceof URIError;
    const error = sendDocumentError(res, isBadPath ? new AppError('NOT_FOUND', 'Document not found.') : thrown);
    if (error.wake) deps.logger.error({ scope: 'request', err: thrown }, 'a document could not be made');
  });

  return router;
}

/**
 * @throws UNAUTHENTICATED; FORBIDDEN for another account without being staff; NOT_FOUND if the account does not exist
 */
async function accountOf(deps: DocumentRouterDeps, req: Request): Promise<string> {
  return accountFor(await viewerIn(deps, req), req);
}

/** The same for documents about money. @throws LIVE_MODE_ONLY, and what `accountOf` throws */
async function walletOf(deps: DocumentRouterDeps, req: Request): Promise<string> {
  const viewer = await viewerIn(deps, req);
  if (viewer.mode === 'test') throw liveModeOnly();
  return accountFor(viewer, req);
}

async function viewerIn(deps: DocumentRouterDeps, req: Request): Promise<Viewer> {
  const viewer = await deps.viewerOf(req);
  if (viewer === null) throw new AppError('UNAUTHENTICATED', 'Please sign in.');
  return viewer;
}

function accountFor(viewer: Viewer, req: Request): string {
  const { account } = req.query;
  if (account === undefined || account === viewer.accountId) return viewer.accountId;
  assertStaff(viewer);
  if (typeof account !== 'string' || !isUuid(account)) throw new AppError('NOT_FOUND', 'Document not found.');
  return account;
}

/** @throws INVALID_INPUT; VIDEO_NOT_FOUND for an invalid id */
function questionOf({ query }: Request): AnalyticsQuestion {
  const { from, to, videoId, granularity = 'DAY', dimension } = query;
  if (!isDay(from) || !isDay(to)) throw new AppError('INVALID_INPUT', 'from and to are days, written YYYY-MM-DD.');
  if (granularity !== 'HOUR' && granularity !== 'DAY') {
    throw new AppError('INVALID_INPUT', 'granularity is HOUR or DAY.');
  }
  const known = DIMENSIONS.find((name) => name.toUpperCase() === dimension);
  if (dimension !== undefined && known === undefined) {
    throw new AppError('INVALID_INPUT', `dimension is one of ${DIMENSIONS.join(', ').toUpperCase()}.`);
  }
  const video = typeof videoId === 'string' ? parseVideoId(videoId) : null;
  if (videoId !== undefined && video === null) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
  return {
    from,
    to,
    videoId: video,
    granularity: granularity === 'HOUR' ? 'hour' : 'day',
    dimension: known ?? null,
  };
}

async function sendInvoice(
  { writer }: DocumentRouterDeps,
  req: Request,
  res: Response,
  invoice: Invoice,
): Promise<void> {
  const document = invoiceDocument(invoice);
  announce(res, writer.mediaType, fileNameOf(invoice));
  await send(req, res, (signal) => writer.write(document, res, signal));
}

/** Takes only names that we generate, so they need no quoting. */
function announce(res: Response, mediaType: string, fileName: string): void {
  res.setHeader('Content-Type', mediaType);
  res.setHeader('Content-Disposition', `attachment; filename="${fileName}"`);
}

/** Sends the body, except for HEAD. If the caller disconnects, reading stops too. */
async function send(req: Request, res: Response, write: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (req.method === 'HEAD') {
    res.end();
    return;
  }
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  await write(gone.signal);
}

/** Sends our usual JSON error. If the body has begun, cuts the connection, so that nobody takes it for complete. */
function sendDocumentError(res: Response, thrown: unknown): AppError {
  const error = toAppError(thrown);
  if (res.headersSent) {
    res.destroy();
    return error;
  }
  for (const header of ['Content-Type', 'Content-Disposition']) res.removeHeader(header);
  if (error.code === 'SERVICE_UNAVAILABLE') res.setHeader('Retry-After', '2');
  res.status(error.status).json(errorBody(error));
  return error;
}
