import { createHmac, hash } from 'node:crypto';

import type { ObjectLinks } from '../../ports/objectLinks.js';
import { checkKey } from './keys.js';

const ALGORITHM = 'AWS4-HMAC-SHA256';
/** AWS's maximum. */
const MAX_EXPIRES_IN_SECONDS = 7 * 24 * 3600;

export interface S3LinksOptions {
  /** Ends with a slash: `https://videos.s3.eu-west-1.amazonaws.com/`. */
  readonly bucketUrl: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Begins every key in the bucket; empty, or ends with a slash. */
  readonly prefix: string;
}

/**
 * Presigned addresses (AWS Signature Version 4, in the query). Made here and not by the SDK, because a playlist has
 * hundreds of them: whatever is the same for one playlist is computed once, and each address costs microseconds.
 */
export class S3Links implements ObjectLinks {
  readonly baseUrl: string;
  private readonly base: URL;

  constructor(private readonly options: S3LinksOptions) {
    this.base = new URL(options.bucketUrl + options.prefix);
    this.baseUrl = this.base.href;
  }

  linker(nowEpochSeconds: number, expiresAtEpochSeconds: number): (key: string) => string {
    const { region, accessKeyId, secretAccessKey } = this.options;
    const { origin, host, pathname } = this.base;
    const signedAt = Math.floor(nowEpochSeconds);
    const expiresIn = Math.floor(expiresAtEpochSeconds) - signedAt;
    if (expiresIn < 1) throw new RangeError('the link would be over already');
    const time = new Date(signedAt * 1000).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
    const day = time.slice(0, 8);
    const scope = `${day}/${region}/s3/aws4_request`;
    const query = [
      `X-Amz-Algorithm=${ALGORITHM}`,
      `X-Amz-Credential=${encodeURIComponent(`${accessKeyId}/${scope}`)}`,
      `X-Amz-Date=${time}`,
      `X-Amz-Expires=${Math.min(expiresIn, MAX_EXPIRES_IN_SECONDS)}`,
      'X-Amz-SignedHeaders=host',
    ].join('&');
    const signingKey = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
      (key, part) => createHmac('sha256', key).update(part).digest(),
      `AWS4${secretAccessKey}`,
    );
    const afterPath = `\n${query}\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`;
    const beforeHash = `${ALGORITHM}\n${time}\n${scope}\n`;
    return (key) => {
      // Keys contain only characters that need no escaping in a path.
      checkKey(key);
      const path = pathname + key;
      const request = hash('sha256', `GET\n${path}${afterPath}`);
      const signature = createHmac('sha256', signingKey)
        .update(beforeHash + request)
        .digest('hex');
      return `${origin}${path}?${query}&X-Amz-Signature=${signature}`;
    };
  }
}
