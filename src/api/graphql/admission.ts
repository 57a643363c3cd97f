import { setTimeout as delay } from 'node:timers/promises';

import express, { type Request, type RequestHandler, type Response } from 'express';

import type { Viewer } from '../../domain/accounts/viewer.js';
import { networkOf } from '../../networkAddress.js';
import { CostBudgets, type BudgetOptions } from '../../domain/shared/traffic/costBudgets.js';
import { LateRefusals } from '../../domain/shared/traffic/lateRefusals.js';
import { VisitorBudgets, type VisitorBudgetOptions } from '../../domain/shared/traffic/visitorBudgets.js';
import { AppError } from '../../errors.js';
import { assertMayBeLarge, MAX_TOKENS, parseBounded } from './documentLimits.js';
import { sendThrown } from './http.js';
import { isLarge, parseJsonBody } from './jsonBody.js';

/**
 * Bytes of a request body. Whoever is signed in may send a caption file of a megabyte, as JSON spells it; a visitor's
 * largest operation has a kilobyte.
 */
export const BODY_LIMITS = { visitor: 16_000, signedIn: 2_000_000 } as const;

/**
 * Of an account, in the units of an operation's complexity: some microseconds each. Who scrolls through ten thousand
 * videos without a pause asks for 360,000.
 */
const PER_ACCOUNT = { capacity: 500_000, perSecond: 20_000, maxCallers: 50_000 };
/** What any request of an account costs on top of its complexity: the session is looked up, and so on. */
const REQUEST_COST = 100;

export interface AdmissionDeps {
  readonly viewerOf: (req: Request) => Promise<Viewer | null>;
  /** The defaults where left out. */
  readonly budgets?: VisitorBudgetOptions & { readonly perAccount?: BudgetOptions };
}

interface Admitted {
  readonly viewer: Viewer | null;
  /** Whether the body was there by then. */
  readonly withBody: boolean;
}

/**
 * What a GraphQL request passes before GraphQL sees it: who asks is settled before a byte of the body is read, and what
 * is asked is bounded before it is validated.
 */
export class Admission {
  readonly #visitors: VisitorBudgets;
  readonly #perAccount: CostBudgets;
  readonly #admitted = new WeakMap<Request, Admitted>();
  readonly #lateRefusals = new LateRefusals();

  constructor(private readonly deps: AdmissionDeps) {
    const { budgets = {} } = deps;
    this.#visitors = new VisitorBudgets(budgets);
    this.#perAccount = new CostBudgets(budgets.perAccount ?? PER_ACCOUNT);
  }

  /** Refuses those who are not signed in before anything is read. */
  readonly identifySignedIn: RequestHandler = (req, res, next) => this.#identify(req, res, next, true);

  readonly identify: RequestHandler = (req, res, next) => this.#identify(req, res, next, false);

  readonly readBody: RequestHandler = (req, res, next) => {
    const read = this.viewerOf(req) === null ? readSmall : readLarge;
    read(req, res, next);
  };

  /** Leaves what is no operation at all to whoever answers it. */
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
    const seconds = viewer === null ? 0 : this.#perAccount.charge(viewer.accountId, complexity);
    if (seconds > 0) throw tooMuch(seconds, viewer);
  }

  /** The same for a live stream, whose next result waits instead. Resolves early once `signal` aborts. */
  async chargeInTime(viewer: Viewer, complexity: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const seconds = this.#perAccount.charge(viewer.accountId, complexity);
      if (seconds === 0) return;
      await delay(seconds * 1000, undefined, { signal }).catch(() => undefined);
    }
  }

  async #identify(req: Request, res: Response, next: () => void, onlySignedIn: boolean): Promise<void> {
    try {
      const viewer = await this.deps.viewerOf(req);
      if (viewer === null && onlySignedIn) throw new AppError('UNAUTHENTICATED', 'Please sign in.');
      this.#admitted.set(req, { viewer, withBody: req.complete });
      const seconds =
        viewer === null
          ? this.#visitors.charge(networkOf(req.ip))
          : this.#perAccount.charge(viewer.accountId, REQUEST_COST);
      if (seconds === 0) {
        next();
        return;
      }
      await this.#refuse(req, res, tooMuch(seconds, viewer));
    } catch (error) {
      sendThrown(req, res, error);
    }
  }

  async #refuse(req: Request, res: Response, error: AppError): Promise<void> {
    // What it has sent, or goes on sending, is not read.
    res.setHeader('Connection', 'close');
    await this.#lateRefusals.wait();
    sendThrown(req, res, error);
  }

  /** A session that ended while its request's body was on the way is over. */
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

/** A page that is told that it asked as a visitor can let people sign in meanwhile. */
function tooMuch(seconds: number, viewer: Viewer | null): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', 'Too many requests. Please wait a moment.', {
    details: { retryAfterSeconds: String(seconds), askedAs: viewer === null ? 'visitor' : 'account' },
  });
}
