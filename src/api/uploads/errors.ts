import type { Response } from 'express';

import { AppError, toAppError, type ErrorCode } from '../../errors.js';

/** What the tus server throws of its own accord: plain objects with a status and a line of text. */
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

/** Ours as they are; the tus server's own in our words, under the status the protocol gives them. */
export function uploadError(error: unknown): { error: AppError; status: number } {
  // An id that is not even valid percent-encoding names no upload.
  if (error instanceof URIError) {
    return uploadError(new AppError('NOT_FOUND', 'Upload not found.'));
  }
  if (!isTusError(error)) {
    const known = toAppError(error);
    return { error: known, status: known.status };
  }
  // A request that made way for another (423) is tried again by clients; its own 400 would end the upload.
  if (error.body.startsWith(ABORTED)) {
    const busy = new AppError('UPLOAD_BUSY', 'Another connection is sending this file.');
    return { error: busy, status: busy.status };
  }
  if (error.status_code >= 500) return { error: toAppError(error), status: 500 };
  const code = CODE_OF_STATUS[error.status_code] ?? 'INVALID_PARAMETER';
  return { error: new AppError(code, `${error.body.trim()}.`), status: error.status_code };
}

export function errorBody(error: AppError, status: number): object {
  return { success: false, error: { code: error.code, message: error.message, status } };
}

export function sendUploadError(res: Response, thrown: unknown): AppError {
  const { error, status } = uploadError(thrown);
  if (res.headersSent) {
    res.destroy();
    return error;
  }
  if (error.code === 'SERVICE_UNAVAILABLE') res.setHeader('Retry-After', '2');
  // Whatever of the body is still coming is not read: gigabytes may follow a refusal.
  res.setHeader('Connection', 'close');
  res.status(status).json(errorBody(error, status));
  return error;
}

function isTusError(error: unknown): error is TusError {
  return typeof error === 'object' && error !== null && 'status_code' in error && 'body' in error;
}
