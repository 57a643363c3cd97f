import type { Response } from 'express';

import { toAppError, type AppError } from '../../errors.js';

/** Refuses in the shape of all our JSON errors. What was begun already is cut off, so that nobody takes it for whole. */
export function sendDocumentError(res: Response, thrown: unknown): AppError {
  const error = toAppError(thrown);
  if (res.headersSent) {
    res.destroy();
    return error;
  }
  for (const header of ['Content-Type', 'Content-Disposition']) res.removeHeader(header);
  if (error.code === 'SERVICE_UNAVAILABLE') res.setHeader('Retry-After', '2');
  const { code, message, status } = error;
  res.status(status).json({ success: false, error: { code, message, status } });
  return error;
}
