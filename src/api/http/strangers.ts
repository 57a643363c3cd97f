import type { RequestHandler, Response } from 'express';

import { networkOf } from '../../networkAddress.js';
import { CostBudgets, type BudgetOptions } from '../../domain/shared/traffic/costBudgets.js';
import { LateRefusals } from '../../domain/shared/traffic/lateRefusals.js';
import { AppError, errorBody } from '../../errors.js';

/** Budget for refused requests of one address: wrong signatures, expired sessions, other accounts' ids. */
const REFUSED: BudgetOptions = { capacity: 200, perSecond: 5, maxCallers: 50_000 };
/** Budget for identity requests of one address: each counts attempts in the database and may hash a password. */
const IDENTITY: BudgetOptions = { capacity: 120, perSecond: 2, maxCallers: 50_000 };

/** For paths that require authentication: refuses an address for a while after many of its requests were refused. */
export function boundRefusals(options: BudgetOptions = REFUSED): RequestHandler {
  const budgets = new CostBudgets(options);
  const late = new LateRefusals();
  return async (req, res, next) => {
    const caller = networkOf(req.ip);
    const seconds = budgets.charge(caller, 0);
    if (seconds > 0) {
      await late.wait();
      refuse(res, seconds);
      return;
    }
    res.once('finish', () => {
      if (res.statusCode >= 400 && res.statusCode < 500) budgets.charge(caller, 1);
    });
    next();
  };
}

/** For sign-up, sign-in and the rest of `/api/auth`, whose own limits need the database. */
export function boundIdentity(options: BudgetOptions = IDENTITY): RequestHandler {
  const budgets = new CostBudgets(options);
  const late = new LateRefusals();
  return async (req, res, next) => {
    const seconds = budgets.charge(networkOf(req.ip), 1);
    if (seconds === 0) {
      next();
      return;
    }
    await late.wait();
    refuse(res, seconds);
  };
}

/** Refuses in both shapes that clients of these paths expect. */
function refuse(res: Response, retryAfterSeconds: number): void {
  const error = new AppError('RATE_LIMIT_EXCEEDED', 'Too many requests. Please wait a moment.');
  res.setHeader('Retry-After', retryAfterSeconds);
  res.setHeader('Cache-Control', 'no-store');
  // The rest of the request is not read.
  res.setHeader('Connection', 'close');
  const { code, message, status } = error;
  res.status(status).json({ ...errorBody(error), code, message });
}
