import { setTimeout as delay } from 'node:timers/promises';

import express, { type Request, type RequestHandler, type Response } from 'express';

import type { Viewer } from '../../domain/accounts/viewer.js';
import { networkOf } from '../../networkAddress.js';
import { CostBudgets, type BudgetOptions } from '../../domain/shared/traffic/costBudgets.js';
import { LateRefusals } from '../../domain/shared/traffic/lateRefusals.js';
import { VisitorBudgets, type VisitorBudgetOptions } from '../../domain/shared/traffic/visitorBudgets.js';
import { AppError } from '../../errors.js';
import { bearerOf } from './bearer.js';
import { assertMayBeLarge, MAX_TOKENS, parseBounded } from './documentLimits.js';
import { sendThrown } from './http.js';
import { isLarge, parseJsonBody } from './jsonBody.js';

/**
 * Bytes of a request body. A signed-in user may send a caption file of one megabyte, JSON-encoded. A visitor's largest
 * operation has a kilobyte.
 */
const BODY_LIMITS = { visitor: 16_000, signedIn: 2_000_000 } as const;

/**
 * Per account, in units of an operation's complexity, a few microseconds each. Scrolling through ten thousand videos
 * without a pause costs 360,000.
 */
const PER_ACCOUNT = { capacity: 500_000, perSecond: 20_000, maxCallers: 50_000 };
/** Per address, requests with an unknown access token. Each costs a query before we know that it is a visitor's. */
const UNKNOWN_TOKENS = { capacity: 200, perSecond: 5, maxCallers: 50_000 };
/** The cost of any request in addition to its complexity, such as looking up the session. */
const REQUEST_COST = 100;

export interface AdmissionDeps {
  readonly viewerOf: (req: Request) => Promise<Viewer | null>;
  /** Defaults apply if omitted. */
  readonly budgets?: VisitorBudgetOptions & {
    readonly perAccount?: BudgetOptions;
    readonly unknownTokens?: BudgetOptions;
  };
}

interface Admitted {
  readonly viewer: Viewer | null;
  /** Whether the body had already arrived. */
  readonly withBody: boolean;
}

/**
 * Checks a GraphQL request before GraphQL sees it: identifies the caller before a byte of the body is read, and limits
 * the operation before it is validated.
 */
export class Admission {
  readonly #visitors: VisitorBudgets;
  readonly #perAccount: CostBudgets;
  readonly #unknownTokens: CostBudgets;
  readonly #admitted = new WeakMap<Request, Admitted>();
  readonly #lateRefusals = new LateRefusals();

  constructor(private readonly deps: AdmissionDeps) {
    const { budgets = {} } = deps;
    this.#visitors = new VisitorBudgets(budgets);
    this.#perAccount = new CostBudgets(budgets.perAccount ?? PER_ACCOUNT);
    this.#unknownTokens = new CostBudgets(budgets.unknownTokens ?? UNKNOWN_TOKENS);
  }

  /** Refuses requests that are not signed in before anything is read. */
  readonly identifySignedIn: RequestHandler = (req, res, next) => this.#identify(req, res, next, true);

  readonly identify: RequestHandler = (req, res, next) => this.#identify(req, res, next, false);

  readonly readBody: RequestHandler = (req, res, next) => {
    const read = this.viewerOf(req) === null ? readSmall : readLarge;
    read(req, res, next);
  };

  /** Passes requests without an operation on to the next handler. */
  readonly checkOperation: RequestHandler = async (req, res, next) => {
    try {
      const raw = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
      const body = parseJsonBody(raw);
      req.body = body;
      const query = queryOf(body);
      if (query !== null) {
        const document = parseBounded(query, this.viewerOf(req) === null ? MAX_TOKENS.visitor : MAX_TOKENS.signedIn);
        if (isLarge(raw)) assertMayBeLarge(document);
      }
      await this.#lookAgain(req);
      next();
    } catch (error) {
      sendThrown(req, res, error);
    }
  };

  /** Who sends this request; `null` for a visitor. */
  viewerOf(req: Request): Viewer | null {
    return this.#admitted.get(req)?.viewer ?? null;
  }

  /**
   * Charges an account for an operation of this complexity.
   *
   * @throws RATE_LIMIT_EXCEEDED
   */
  charge(viewer: Viewer | null, complexity: number): void {
    const seconds = viewer === null ? 0 : this.#perAccount.charge(payerOf(viewer), complexity);
    if (seconds > 0) throw tooMuch(seconds, viewer);
  }

  /**
   * Like `charge`, but waits until the account can afford it: for the next result of a live stream. Resolves early if
   * `signal` aborts.
   */
  async chargeInTime(viewer: Viewer, complexity: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const seconds = this.#perAccount.charge(payerOf(viewer), complexity);
      if (seconds === 0) return;
      await delay(seconds * 1000, undefined, { signal }).catch(() => undefined);
    }
  }

  async #identify(req: Request, res: Response, next: () => void, onlySignedIn: boolean): Promise<void> {
    try {
      const caller = networkOf(req.ip);
      const hasToken = bearerOf(req) !== null;
      const refusedFor = hasToken ? this.#unknownTokens.charge(caller, 0) : 0;
      if (refusedFor > 0) {
        await this.#refuse(req, res, tooMuch(refusedFor, null));
        return;
      }
      const viewer = await this.deps.viewerOf(req);
      if (viewer === null && hasToken) this.#unknownTokens.charge(caller, 1);
      this.#admitted.set(req, { viewer, withBody: req.complete });
      const seconds =
        viewer === null ? this.#visitors.charge(caller) : this.#perAccount.charge(payerOf(viewer), REQUEST_COST);
      if (seconds > 0) await this.#refuse(req, res, tooMuch(seconds, viewer));
      else if (viewer === null && onlySignedIn) throw new AppError('UNAUTHENTICATED', 'Please sign in.');
      else next();
    } catch (error) {
      sendThrown(req, res, error);
    }
  }

  async #refuse(req: Request, res: Response, error: AppError): Promise<void> {
    // Ignore whatever it has sent or still sends.
    res.setHeader('Connection', 'close');
    await this.#lateRefusals.wait();
    sendThrown(req, res, error);
  }

  /** The session may have ended while the body was on its way. */
  async #lookAgain(req: Request): Promise<void> {
    const { viewer, withBody } = this.#admitted.get(req)!;
    if (viewer === null || withBody) return;
    this.#admitted.set(req, { viewer: await this.deps.viewerOf(req), withBody: true });
  }
}

const readSmall = express.raw({ type: () => true, limit: BODY_LIMITS.visitor, inflate: false });
const readLarge = express.raw({ type: () => true, limit: BODY_LIMITS.signedIn, inflate: false });

function queryOf(body: unknown): string | null {
  const query = typeof body === 'object' && body !== null && 'query' in body ? body.query : null;
  return typeof query === 'string' && query !== '' ? query : null;
}

/** A member of staff who looks at an account does not use up its budget. */
export function payerOf({ accountId, view }: Viewer): string {
  return view?.staffId ?? accountId;
}

/** `askedAs` tells the page that it asked as a visitor, so that it can offer sign-in. */
function tooMuch(seconds: number, viewer: Viewer | null): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', 'Too many requests. Please wait a moment.', {
    details: { retryAfterSeconds: String(seconds), askedAs: viewer === null ? 'visitor' : 'account' },
  });
}
