/**
 * `POST /media/{grant}/{video}/report`: what a player measured of its view. The grant is the credential. Like segments,
 * reports are answered before Express sees them: a busy service gets thousands a second.
 *
 * The body is one JSON object sent as `text/plain`, so that browsers need no preflight and `sendBeacon` works. Everything
 * in it comes from a stranger.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { MAX_REPORT_BYTES, parseReport } from '../../domain/playback/analytics/report.js';
import type { ViewRecorder } from '../../domain/playback/analytics/viewRecorder.js';
import { CostBudgets } from '../../domain/shared/traffic/costBudgets.js';
import type { MovedClocks } from '../../domain/accounts/testMode/movedClocks.js';
import { AppError, errorBody } from '../../errors.js';
import { callerOf, networkOf } from '../../networkAddress.js';
import type { ReadyResponse } from './atOnce.js';
import { COMMON_HEADERS, MEDIA_ROUTES } from './headers.js';
import { byServiceClock, type OpenGrants } from './openGrants.js';

const PATH = /^\/media\/([A-Za-z0-9_-]{84})\/(vid_[0-9A-Za-z]{1,22})\/report$/;

/** A player reports every ten seconds, and when something happens. */
const PER_VIEW = { capacity: 10, perSecond: 1, maxCallers: 50_000 };
/** Hundreds of viewers may share an address. */
const PER_ADDRESS = { capacity: 500, perSecond: 50, maxCallers: 50_000 };

export interface ReportsDeps {
  readonly grants: OpenGrants;
  readonly views: Pick<ViewRecorder, 'reported'>;
  readonly movedClocks: Pick<MovedClocks, 'movedSeconds'>;
  /** Number of proxies in front whose `X-Forwarded-For` is trusted. */
  readonly trustProxies: number;
  readonly nowEpochSeconds: () => number;
}

export class Reports {
  private readonly perView = new CostBudgets(PER_VIEW);
  private readonly perAddress = new CostBudgets(PER_ADDRESS);

  constructor(private readonly deps: ReportsDeps) {}

  /** Returns `null` if this is no report. */
  answer(req: IncomingMessage): ReadyResponse | null {
    const found = req.method === 'POST' ? PATH.exec(req.url ?? '') : null;
    if (!found) return null;
    const [, grant = '', video = ''] = found;
    return {
      route: MEDIA_ROUTES.report,
      path: `/media/[grant]/${video}/report`,
      send: (_, res, headers) => {
        // An error here would have no router above it.
        this.receive(req, grant, video).then(
          (isWhole) => isWhole && accept(res, headers),
          (error: unknown) => refuse(req, res, headers, error),
        );
      },
    };
  }

  /** @returns false if the caller has disconnected. @throws AppError */
  private async receive(req: IncomingMessage, grantText: string, video: string): Promise<boolean> {
    this.charge(this.perAddress, networkOf(callerOf(req, this.deps.trustProxies)));
    const grant = this.deps.grants.open(grantText, video);
    if (grant === null) throw expired();
    this.charge(this.perView, grant.viewId);
    const body = await bodyOf(req);
    if (body === null) return false;
    const report = parseReport(body.toString());
    if (report === null) throw new AppError('INVALID_INPUT', 'This is not a report of a player.');
    const moved = await this.deps.movedClocks.movedSeconds(grant.accountId);
    if (byServiceClock(grant, moved, this.deps.nowEpochSeconds()) === null) throw expired();
    this.deps.views.reported(grant.accountId, grant.viewId, report);
    return true;
  }

  private charge(budgets: CostBudgets, caller: string): void {
    const seconds = budgets.charge(caller, 1);
    if (seconds > 0) {
      throw new AppError('RATE_LIMIT_EXCEEDED', 'Too many reports.', {
        details: { retryAfterSeconds: String(seconds) },
      });
    }
  }
}

/** @returns `null` if the caller has disconnected. @throws FILE_TOO_LARGE */
async function bodyOf(req: IncomingMessage): Promise<Buffer | null> {
  if (declaredBytes(req) > MAX_REPORT_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_REPORT_BYTES) chunks.push(chunk);
      else reject(tooLarge());
    });
    req.once('end', () => resolve(Buffer.concat(chunks)));
    req.once('error', () => resolve(null));
    req.once('close', () => resolve(null));
  });
}

function expired(): AppError {
  return new AppError('FORBIDDEN', 'This playback link is invalid or has expired.');
}

function tooLarge(): AppError {
  return new AppError('FILE_TOO_LARGE', `A report has at most ${MAX_REPORT_BYTES} bytes.`);
}

function declaredBytes({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 0;
}

function accept(res: ServerResponse, headers: readonly string[]): void {
  res.writeHead(204, [...headers, ...COMMON_HEADERS, 'Cache-Control', 'no-store']);
  res.end();
}

function refuse(req: IncomingMessage, res: ServerResponse, headers: readonly string[], thrown: unknown): void {
  if (!(thrown instanceof AppError)) {
    res.destroy();
    return;
  }
  const { status, details } = thrown;
  const body = JSON.stringify(errorBody(thrown));
  // The rest of a body that is too long, or may be, is not read.
  const isBounded =
    req.complete || (req.headers['transfer-encoding'] === undefined && declaredBytes(req) <= MAX_REPORT_BYTES);
  res.writeHead(status, [
    ...headers,
    ...COMMON_HEADERS,
    'Cache-Control',
    'no-store',
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(body)),
    ...(details['retryAfterSeconds'] === undefined ? [] : ['Retry-After', details['retryAfterSeconds']]),
    ...(isBounded ? [] : ['Connection', 'close']),
  ]);
  res.end(body);
}
