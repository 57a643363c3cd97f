import { request, type ClientRequest } from 'node:http';
import type { Readable } from 'node:stream';

import { Upload, type DetailedError } from 'tus-js-client';

export interface TusOptions {
  accountId: string;
  chunkSize?: number;
  uploadSize?: number;
  retryDelays?: number[];
  onProgress?: (sentBytes: number) => void;
}

/** Sends a file like the dashboard: to the upload's address, without creating one. */
export function tusUpload(
  url: string,
  file: Buffer | Readable,
  options: TusOptions,
): { done: Promise<void>; upload: Upload } {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const done = new Promise<void>((...settle) => ([resolve, reject] = settle));
  const { accountId, onProgress, ...rest } = options;
  const upload = new Upload(file as Buffer, {
    retryDelays: [],
    ...rest,
    uploadUrl: url,
    headers: { cookie: `account=${accountId}` },
    onSuccess: () => resolve(),
    onError: reject,
    ...(onProgress && { onProgress }),
  });
  upload.start();
  return { done, upload };
}

/** The error body of a failed upload. */
export function errorOf(error: unknown): { status: number; code: string; message: string } {
  const response = (error as DetailedError).originalResponse;
  if (!response) throw error;
  const body = JSON.parse(response.getBody()) as { error: { code: string; message: string } };
  return { status: response.getStatus(), code: body.error.code, message: body.error.message };
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export async function send(
  url: string,
  options: {
    method: string;
    accountId?: string;
    headers?: Record<string, string>;
    body?: string | Uint8Array<ArrayBuffer>;
  },
): Promise<Answer> {
  const response = await fetch(url, {
    method: options.method,
    headers: {
      'tus-resumable': '1.0.0',
      ...(options.accountId === undefined ? {} : { cookie: `account=${options.accountId}` }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: options.body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export function patch(
  url: string,
  accountId: string,
  offset: number,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<Answer> {
  const headers = { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' };
  return send(url, { method: 'PATCH', accountId, headers, body });
}

export function head(url: string, accountId: string): Promise<Answer> {
  return send(url, { method: 'HEAD', accountId });
}

/** A PATCH that stays open until it is ended; chunked without a length. */
export function openPatch(
  url: string,
  accountId: string,
  options: { offset: number; contentLength?: number },
): { req: ClientRequest; answer: Promise<{ status: number; text: string }> } {
  const req = request(url, {
    method: 'PATCH',
    headers: {
      cookie: `account=${accountId}`,
      'tus-resumable': '1.0.0',
      'upload-offset': options.offset,
      'content-type': 'application/offset+octet-stream',
      ...(options.contentLength === undefined ? {} : { 'content-length': options.contentLength }),
    },
  });
  const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
    req.on('error', reject);
    req.on('response', (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (part: string) => (text += part));
      res.on('end', () => resolve({ status: res.statusCode!, text }));
      res.on('error', reject);
    });
  });
  // A test that cuts the connection ignores the response.
  answer.catch(() => undefined);
  return { req, answer };
}
