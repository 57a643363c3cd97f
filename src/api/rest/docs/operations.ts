import { type BodyName, bodyRef } from './components.js';
import type { OpenApiDocument, Parameter, ResponseObject } from './openapiTypes.js';

const VIDEO_ID: Parameter = {
  name: 'videoId',
  in: 'path',
  required: true,
  description: '`vid_…` or the UUID, in any case',
  schema: { type: 'string' },
};
const TOKEN: Parameter = {
  name: 'token',
  in: 'path',
  required: true,
  description: 'The playback token',
  schema: { type: 'string' },
};

const KEY = [{ apiKey: [] }];
const whole = { type: 'integer' };
const REQUEST_ID = { 'X-Request-Id': { description: 'Quote it when you ask for help', schema: { type: 'string' } } };
const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait before retrying', schema: whole } };
const RATE_LIMIT = {
  'X-RateLimit-Limit': { description: 'Tokens per UTC day of this key; 0 where none was recognised', schema: whole },
  'X-RateLimit-Remaining': { description: 'Tokens left after this request', schema: whole },
  'X-RateLimit-Reset': {
    description:
      'Epoch second of 23:59:59 UTC, the last second of the day that is counted: the quota is whole when it is over',
    schema: whole,
  },
};

const ETAG = {
  ETag: { description: 'Changes with the body; send it back in `If-None-Match`', schema: { type: 'string' } },
};

const ERRORS = {
  400: '`INVALID_PARAMETER`: a parameter is unknown, repeated or out of range; the message names it',
  401: '`INVALID_API_KEY`: the key is missing, malformed, unknown or revoked; the message says so where it was sent in another header',
  403: '`ACCOUNT_SUSPENDED`: the account is suspended; its owner is told why by support',
  404: '`VIDEO_NOT_FOUND`: no such video, or not yours',
  405: '`METHOD_NOT_ALLOWED`: see `Allow`',
  409: '`VIDEO_NOT_READY`: nothing of the video plays yet; its status is in the message',
  429: '`RATE_LIMIT_EXCEEDED`: the key’s tokens of this UTC day are used up',
  500: '`INTERNAL_ERROR`: a fault of ours; quote `X-Request-Id` when you report it',
  503: '`SERVICE_UNAVAILABLE`: try again shortly',
} as const;

const NO_PARAMETERS = '`INVALID_PARAMETER`: this request takes no query parameters; the message names the first';

type Headers = NonNullable<ResponseObject['headers']>;

/** The answers of an operation: its body, and its errors, each with `headers` beside its own. */
function responses(
  body: BodyName,
  errors: readonly (keyof typeof ERRORS)[],
  headers: Headers = {},
  told: Partial<typeof ERRORS> | Record<number, string> = {},
): Record<string, ResponseObject> {
  const all = { ...REQUEST_ID, ...headers };
  const answered: Record<string, ResponseObject> = { 200: answer('Done', body, all) };
  for (const status of errors) {
    const own = status === 429 || status === 503 ? RETRY_AFTER : {};
    answered[status] = answer({ ...ERRORS, ...told }[status], 'Error', { ...all, ...own });
  }
  return answered;
}

/** Of what may be asked for again with `If-None-Match`. */
function revalidated(responses: Record<string, ResponseObject>): Record<string, ResponseObject> {
  const { headers, ...done } = responses[200]!;
  const all = { ...headers, ...ETAG };
  return {
    ...responses,
    200: { ...done, headers: all },
    304: { description: 'Nothing has changed since the `ETag` in `If-None-Match`; no body', headers: all },
  };
}

function answer(description: string, body: BodyName, headers: Headers): ResponseObject {
  return { description, headers, content: { 'application/json': { schema: bodyRef(body) } } };
}

/** Every path of /v1. `listQuery` are the parameters of the list. */
export function operations(listQuery: readonly Parameter[]): OpenApiDocument['paths'] {
  return {
    '/v1/video': {
      get: {
        operationId: 'listVideos',
        summary: 'List your videos',
        description:
          'Metadata, newest first unless sorted otherwise. Walk by cursor to see every video once, whatever is added ' +
          'or deleted meanwhile, at the same speed at any depth; `page` is for the first 10,000. Never throttled.',
        tags: ['Videos'],
        security: KEY,
        parameters: listQuery,
        responses: revalidated(responses('VideoList', [400, 401, 403, 405, 500, 503])),
      },
    },
    '/v1/video/{videoId}': {
      get: {
        operationId: 'getVideo',
        summary: 'Get one video',
        description: 'The metadata, and what plays already. Never throttled.',
        tags: ['Videos'],
        security: KEY,
        parameters: [VIDEO_ID],
        responses: revalidated(
          responses('VideoResponse', [400, 401, 403, 404, 405, 500, 503], {}, { 400: NO_PARAMETERS }),
        ),
      },
    },
    '/v1/video/{videoId}/playback-token': {
      post: {
        operationId: 'createPlaybackToken',
        summary: 'Mint a playback token',
        description:
          'One token is one view of the whole video; hand it to the player within five minutes. The request has no ' +
          'body. Checked in this order: key, account, query parameters (there are none), quota, video; only a minted ' +
          'token counts.\n\nEvery response has the three rate-limit headers, with the numbers of your key whenever it ' +
          'is a valid one; with a 503 they are the last that the server knew. `X-RateLimit-Reset` is 23:59:59 UTC, and ' +
          'that second still belongs to the day: a 429 within it has `Retry-After: 1`. Wait for `Retry-After`, which ' +
          'ends at midnight, when a retry succeeds. A new key begins the day with the tokens that keys revoked today ' +
          'have used.',
        tags: ['Playback'],
        security: KEY,
        parameters: [VIDEO_ID],
        responses: responses('PlaybackTokenResponse', [400, 401, 403, 404, 405, 409, 429, 500, 503], RATE_LIMIT, {
          400: NO_PARAMETERS,
        }),
      },
    },
    '/v1/video/playback/manifest/{token}': {
      get: {
        operationId: 'getManifest',
        summary: 'Exchange a token for the stream',
        description:
          'For player SDKs, from any origin. Asking again with the same token is the same view and the same address. ' +
          'The URL works for the whole video and some hours more. Treat it as secret.\n\nRevoking a key ' +
          'ends the tokens that it minted: they are refused here from the next request on. A suspended account gets no ' +
          'new streams. What plays already runs out by itself.',
        tags: ['Playback'],
        security: [],
        parameters: [TOKEN],
        responses: responses(
          'ManifestResponse',
          [400, 401, 403, 404, 405, 409, 500, 503],
          {},
          {
            400: NO_PARAMETERS,
            403: '`ACCOUNT_SUSPENDED`, or `DOMAIN_NOT_ALLOWED`: the account plays on other sites only',
            401:
              '`INVALID_PLAYBACK_TOKEN`: malformed, altered, not issued by Dhara, or minted by a key that has since been revoked; or ' +
              '`PLAYBACK_TOKEN_EXPIRED`: older than five minutes',
            404: '`VIDEO_NOT_FOUND`: deleted since',
          },
        ),
      },
    },
  };
}
