import { createHash } from 'node:crypto';

import { S3Client, S3ServiceException } from '@aws-sdk/client-s3';

import { AppError } from '../../errors.js';
import { StoreRefusedError } from './refused.js';

const ATTEMPTS = 3;
const CONNECT_WITHIN_MS = 5000;
/** From the first byte sent to the first byte received, which includes sending a whole part. */
const ANSWER_WITHIN_MS = 120_000;
/**
 * For a connection on which nothing moves. Viewers pause for minutes, and this limit of the client is the only one:
 * three seconds into a request it replaces any other. TCP notices a dead host sooner.
 */
const IDLE_SOCKET_MS = 10 * 60_000;
const MAX_SOCKETS = 200;

export interface S3Access {
  /** Defaults to AWS's endpoint of the region. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  readonly forcePathStyle: boolean;
}

/** Creates a client that limits every wait, and that uses only features that other S3-compatible servers have. */
export function createS3Client(access: S3Access): S3Client {
  const client = new S3Client({
    region: access.region,
    ...(access.endpoint === undefined ? {} : { endpoint: access.endpoint }),
    forcePathStyle: access.forcePathStyle,
    credentials: { accessKeyId: access.accessKeyId, secretAccessKey: access.secretAccessKey },
    maxAttempts: ATTEMPTS,
    // Other servers support neither the newer checksums nor the trailers that carry them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_WITHIN_MS,
      requestTimeout: ANSWER_WITHIN_MS,
      throwOnRequestTimeout: true,
      socketTimeout: IDLE_SOCKET_MS,
      httpAgent: { maxSockets: MAX_SOCKETS },
      httpsAgent: { maxSockets: MAX_SOCKETS },
    },
  });
  addContentMd5(client);
  return client;
}

/** DeleteObjects requires a checksum. MD5, the oldest, is the one that every server accepts. */
function addContentMd5(client: S3Client): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const request = args.request as { headers: Record<string, string>; body?: unknown };
      if (context.commandName === 'DeleteObjectsCommand' && typeof request.body === 'string') {
        request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64');
      }
      return next(args);
    },
    { step: 'build', name: 'contentMd5' },
  );
}

/**
 * Translates errors of the client. A store that does not respond is a temporary problem, a refusal is somebody's
 * mistake, and an abort stays an abort.
 */
export function s3Error(thrown: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (!(thrown instanceof Error)) return thrown;
  const status = statusOf(thrown);
  // A feature that the server does not implement will not appear by retrying.
  if (status !== null && (status < 500 || status === 501) && status !== 429 && status !== 408) {
    return new StoreRefusedError(`The object store refused: ${thrown.name} (${status}).`);
  }
  // The client's own message may quote the whole signed request.
  const cause = new Error(`${thrown.name}${status === null ? '' : ` (${status})`}`);
  return new AppError('SERVICE_UNAVAILABLE', 'The object store is not responding.', { cause });
}

/** True if the object does not exist. A missing bucket does not count. */
export function isMissingObject(thrown: unknown): boolean {
  return thrown instanceof S3ServiceException && thrown.name !== 'NoSuchBucket' && statusOf(thrown) === 404;
}

/** The HTTP status, or `null` if there was no response. */
export function statusOf(thrown: unknown): number | null {
  if (typeof thrown !== 'object' || thrown === null || !('$metadata' in thrown)) return null;
  const { httpStatusCode } = thrown.$metadata as { httpStatusCode?: number };
  return httpStatusCode ?? null;
}
