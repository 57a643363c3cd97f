import { AppError, type ErrorCode } from '../../../errors.js';
import { type BodyName, bodyRef } from './components.js';
import { EXAMPLES } from './generated/examples.js';
import type { Examples, OpenApiDocument, Parameter, ResponseObject } from './openapiTypes.js';

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
const REQUEST_ID = { 'X-Request-Id': { description: 'Include it when you ask for help', schema: { type: 'string' } } };
const RETRY_AFTER = { 'Retry-After': { description: 'Seconds to wait before retrying', schema: whole } };
const RATE_LIMIT = {
  'X-RateLimit-Limit': { description: 'Tokens per UTC day of this key; 0 if the key is not valid', schema: whole },
  'X-RateLimit-Remaining': { description: 'Tokens left after this request', schema: whole },
  'X-RateLimit-Reset': {
    description: 'Epoch second of 23:59:59 UTC, the last second of the day. The full quota is back one second later',
    schema: whole,
  },
};

const ETAG = {
  ETag: { description: 'Changes with the body; send it back in `If-None-Match`', schema: { type: 'string' } },
};

/** What causes each error where an operation does not say it more exactly. */
const CAUSES = {
  INVALID_PARAMETER: 'a parameter is unknown, repeated or out of range; the message names it',
  INVALID_API_KEY:
    'the key is missing, malformed, unknown or revoked; the message says if it was sent in the wrong header',
  ACCOUNT_SUSPENDED: 'the account is suspended; support tells its owner why',
  VIDEO_NOT_FOUND: 'no such video, or not yours',
  METHOD_NOT_ALLOWED: 'see `Allow`',
  VIDEO_NOT_READY: 'nothing of the video plays yet; the message has its status',
  RATE_LIMIT_EXCEEDED: 'the key’s tokens of this UTC day are used up',
  INTERNAL_ERROR: 'something went wrong on our side; include `X-Request-Id` when you report it',
  SERVICE_UNAVAILABLE: 'try again after `Retry-After` seconds',
} as const;

const NO_PARAMETERS = 'this request takes no query parameters; the message names the first';

/** An error of an operation: its code, or its code and what causes it there. */
type Cause = keyof typeof CAUSES | readonly [ErrorCode, string];
type Headers = NonNullable<ResponseObject['headers']>;

/** The responses of an operation: its body and its errors, with the recorded examples. */
function responses(
  operationId: keyof typeof EXAMPLES,
  body: BodyName,
  errors: readonly Cause[],
  headers: Headers = {},
): Record<string, ResponseObject> {
  const all = { ...REQUEST_ID, ...headers };
  const examples: Examples = EXAMPLES[operationId];
  const found: Record<string, ResponseObject> = {
    200: response('Success', body, all, { success: examples['success']! }),
  };
  for (const cause of errors) {
    const [code, text] = typeof cause === 'string' ? ([cause, CAUSES[cause]] as const) : cause;
    const { status } = new AppError(code, '');
    const known = found[status];
    const own = status === 429 || status === 503 ? RETRY_AFTER : {};
    const description = `\`${code}\`: ${text}`;
    found[status] = response(
      known === undefined ? description : `${known.description}; or ${description}`,
      'Error',
      { ...all, ...own },
      {
        ...known?.content?.['application/json']?.examples,
        // None until the example of a new error is recorded.
        ...(examples[code] && { [code]: { summary: text, value: examples[code].value } }),
      },
    );
  }
  return found;
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

function response(description: string, body: BodyName, headers: Headers, examples: Examples): ResponseObject {
  return { description, headers, content: { 'application/json': { schema: bodyRef(body), examples } } };
}

/** What every operation may respond. */
const ALWAYS = ['METHOD_NOT_ALLOWED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const;
/** And every one that takes a key. */
const KEY_ERRORS = ['INVALID_API_KEY', 'ACCOUNT_SUSPENDED', ...ALWAYS] as const;

export const TAGS = [
  { name: 'Videos', description: 'Your videos: metadata, status and renditions' },
  { name: 'Playback', description: 'Playback tokens, and their exchange for a stream' },
];

/** Every path of /v1. `listQuery` are the parameters of the list. */
export function operations(listQuery: readonly Parameter[]): OpenApiDocument['paths'] {
  return {
    '/v1/video': {
      get: {
        operationId: 'listVideos',
        summary: 'List your videos',
        description:
          'Metadata, newest first by default. With `cursor`, each video appears once, even if others are added or ' +
          'deleted meanwhile, and every page is equally fast. `page` reaches the first 10,000 videos. Not rate limited.',
        tags: ['Videos'],
        security: KEY,
        parameters: listQuery,
        responses: revalidated(responses('listVideos', 'VideoList', ['INVALID_PARAMETER', ...KEY_ERRORS])),
      },
    },
    '/v1/video/{videoId}': {
      get: {
        operationId: 'getVideo',
        summary: 'Get one video',
        description: 'Metadata, and the renditions that play already. Not rate limited.',
        tags: ['Videos'],
        security: KEY,
        parameters: [VIDEO_ID],
        responses: revalidated(
          responses('getVideo', 'VideoResponse', [
            ['INVALID_PARAMETER', NO_PARAMETERS],
            ...KEY_ERRORS,
            'VIDEO_NOT_FOUND',
          ]),
        ),
      },
    },
    '/v1/video/{videoId}/playback-token': {
      post: {
        operationId: 'createPlaybackToken',
        summary: 'Create a playback token',
        description:
          'One token is one view of the whole video. Pass it to the player within five minutes. The request has no ' +
          'body. Checks run in this order: key, account, query parameters (there are none), quota, video. Only created ' +
          'tokens count.\n\nEvery response has the three rate-limit headers, with the numbers of your key if it is ' +
          'valid; with a 503, they are the last known ones. `X-RateLimit-Reset` is 23:59:59 UTC, and that second is ' +
          'still part of the day: a 429 within it has `Retry-After: 1`. `Retry-After` ends at midnight, when a retry ' +
          'succeeds. A new key starts the day with the tokens that keys revoked today have used.',
        tags: ['Playback'],
        security: KEY,
        parameters: [VIDEO_ID],
        responses: responses(
          'createPlaybackToken',
          'PlaybackTokenResponse',
          [
            ['INVALID_PARAMETER', NO_PARAMETERS],
            ...KEY_ERRORS,
            'VIDEO_NOT_FOUND',
            'VIDEO_NOT_READY',
            'RATE_LIMIT_EXCEEDED',
          ],
          RATE_LIMIT,
        ),
      },
    },
    '/v1/video/playback/manifest/{token}': {
      get: {
        operationId: 'getManifest',
        summary: 'Exchange a token for the stream',
        description:
          'For player SDKs, from any origin. Exchanging the same token again is the same view, with the same URL. ' +
          'The URL works for the length of the video and some hours more. Treat it as a secret.\n\nRevoking a key ' +
          'revokes its tokens: they are refused here immediately. Streams that already play continue. A suspended ' +
          'account gets no new streams, and its playing streams stop.',
        tags: ['Playback'],
        security: [],
        parameters: [TOKEN],
        responses: responses('getManifest', 'ManifestResponse', [
          ['INVALID_PARAMETER', NO_PARAMETERS],
          [
            'INVALID_PLAYBACK_TOKEN',
            'malformed, altered, not issued by Dhara, or created by a key that has since been revoked',
          ],
          ['PLAYBACK_TOKEN_EXPIRED', 'older than five minutes'],
          'ACCOUNT_SUSPENDED',
          ['DOMAIN_NOT_ALLOWED', 'the account plays on other sites only'],
          ['VIDEO_NOT_FOUND', 'deleted since'],
          'VIDEO_NOT_READY',
          ...ALWAYS,
        ]),
      },
    },
  };
}
