import { createHash } from 'node:crypto';

import { S3Client, S3ServiceException } from '@aws-sdk/client-s3';

import { AppError } from '../../errors.js';
import { StoreRefusedError } from './refused.js';

const ATTEMPTS = 3;
const CONNECT_WITHIN_MS = 5000;
/** From the first byte sent to the first byte back; a part is sent whole in between. */
const ANSWER_WITHIN_MS = 120_000;
/**
 * Of a connection on which nothing moves. Viewers pause for minutes, and the client's own limit is the only one: three
 * seconds into a request it replaces any other. Of a host that is gone, TCP tells sooner.
 */
const IDLE_SOCKET_MS = 10 * 60_000;
const MAX_SOCKETS = 200;

export interface S3Access {
  /** Without one, AWS's own of the region. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  readonly forcePathStyle: boolean;
}

/** A client that waits for nothing without a limit, and asks for nothing that only AWS's own S3 understands. */
export function createS3Client(access: S3Access): S3Client {
  const client = new S3Client({
    region: access.region,
    ...(access.endpoint === undefined ? {} : { endpoint: access.endpoint }),
    forcePathStyle: access.forcePathStyle,
    credentials: { accessKeyId: access.accessKeyId, secretAccessKey: access.secretAccessKey },
    maxAttempts: ATTEMPTS,
    // Other servers know neither the newer checksums nor the trailers they travel in.
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

/** DeleteObjects must be protected by a checksum; the one that every server takes is the oldest. */
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
 * What to throw for what the client threw: a store that is away is a passing trouble, a store that refuses is somebody's
 * mistake, and an abort stays what it is.
 */
export function s3Error(thrown: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (!(thrown instanceof Error)) return thrown;
  const status = statusOf(thrown);
  // What a server does not implement, it will not implement in a minute.
  if (status !== null && (status < 500 || status === 501) && status !== 429 && status !== 408) {
    return new StoreRefusedError(`The object store refused: ${thrown.name} (${status}).`);
  }
  // Its own text may quote the whole signed request.
  const cause = new Error(`${thrown.name}${status === null ? '' : ` (${status})`}`);
  return new AppError('SERVICE_UNAVAILABLE', 'The object store is not responding.', { cause });
}

/** True where the answer was that there is no such object; a missing bucket is another matter. */
export function isMissingObject(thrown: unknown): boolean {
  return thrown instanceof S3ServiceException && thrown.name !== 'NoSuchBucket' && statusOf(thrown) === 404;
}

/** HTTP's, or `null` where there was no answer at all. */
export function statusOf(thrown: unknown): number | null {
  if (typeof thrown !== 'object' || thrown === null || !('$metadata' in thrown)) return null;
  const { httpStatusCode } = thrown.$metadata as { httpStatusCode?: number };
  return httpStatusCode ?? null;
}
