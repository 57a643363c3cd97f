import type { Response } from 'express';

import { AppError, errorBody, toAppError, type ErrorCode } from '../../errors.js';

/** Errors of the tus server itself: plain objects with a status and a line of text. */
interface TusError {
  readonly status_code: number;
  readonly body: string;
}

const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  404: 'NOT_FOUND',
  409: 'INVALID_STATE',
  410: 'UPLOAD_EXPIRED',
  413: 'FILE_TOO_LARGE',
};

const ABORTED = 'Request aborted';

/** Keeps our errors as they are, and rewords the tus server's own under the status that the protocol gives them. */
export function uploadError(error: unknown): { error: AppError; status: number } {
  // An id with invalid percent-encoding names no upload.
  if (error instanceof URIError) {
    return uploadError(new AppError('NOT_FOUND', 'Upload not found.'));
  }
  if (!isTusError(error)) {
    const known = toAppError(error);
    return { error: known, status: known.status };
  }
  // Clients retry a request that made way for another one (423); the server's own 400 would end the upload.
  if (error.body.startsWith(ABORTED)) {
    const busy = new AppError('UPLOAD_BUSY', 'Another connection is sending this file.');
    return { error: busy, status: busy.status };
  }
  if (error.status_code >= 500) return { error: toAppError(error), status: 500 };
  const code = CODE_OF_STATUS[error.status_code] ?? 'INVALID_PARAMETER';
  return { error: new AppError(code, `${error.body.trim()}.`), status: error.status_code };
}

export function sendUploadError(res: Response, thrown: unknown): AppError {
  const { error, status } = uploadError(thrown);
  if (res.headersSent) {
    res.destroy();
    return error;
  }
  if (error.code === 'SERVICE_UNAVAILABLE') res.setHeader('Retry-After', '2');
  // Do not read the rest of the body: gigabytes may follow a refusal.
  res.setHeader('Connection', 'close');
  res.status(status).json(errorBody(error, status));
  return error;
}

function isTusError(error: unknown): error is TusError {
  return typeof error === 'object' && error !== null && 'status_code' in error && 'body' in error;
}
