/** Why nothing plays. The first six are the service's own codes; the others happen in the browser. */
export type PlayerErrorCode =
  | 'INVALID_PLAYBACK_TOKEN'
  | 'PLAYBACK_TOKEN_EXPIRED'
  | 'VIDEO_NOT_FOUND'
  | 'VIDEO_NOT_READY'
  | 'ACCOUNT_SUSPENDED'
  | 'SERVICE_UNAVAILABLE'
  | 'NETWORK'
  | 'DECODE'
  | 'UNSUPPORTED';

interface Words {
  readonly title: string;
  readonly advice: string;
  /** True where trying the same token again can help. */
  readonly retry: boolean;
}

const WORDS: Record<PlayerErrorCode, Words> = {
  INVALID_PLAYBACK_TOKEN: {
    title: 'This link does not work',
    advice: 'It may have been cut short when it was copied. Ask for the link again.',
    retry: false,
  },
  PLAYBACK_TOKEN_EXPIRED: {
    title: 'This link has expired',
    advice: 'Links open for five minutes. Go back to where you found it and open it again.',
    retry: false,
  },
  VIDEO_NOT_FOUND: {
    title: 'This video is no longer here',
    advice: 'Its owner has removed it.',
    retry: false,
  },
  VIDEO_NOT_READY: {
    title: 'This video is still being prepared',
    advice: 'Try again in a few minutes.',
    retry: true,
  },
  ACCOUNT_SUSPENDED: {
    title: 'This video is not available',
    advice: 'Its owner’s account is suspended.',
    retry: false,
  },
  SERVICE_UNAVAILABLE: {
    title: 'The video service is briefly away',
    advice: 'Try again in a moment.',
    retry: true,
  },
  NETWORK: {
    title: 'The connection was lost',
    advice: 'Check your network, then try again.',
    retry: true,
  },
  DECODE: {
    title: 'This video could not be played',
    advice: 'Your browser stopped decoding it. Try again, or use another browser.',
    retry: true,
  },
  UNSUPPORTED: {
    title: 'Your browser cannot play this video',
    advice: 'Use a current version of Chrome, Edge, Firefox or Safari.',
    retry: false,
  },
};

/** What stops playback, in words a viewer understands: `title`, `advice`, and whether a retry can help. */
export class PlayerError extends Error {
  readonly title: string;
  readonly advice: string;
  readonly retry: boolean;

  constructor(
    readonly code: PlayerErrorCode,
    options?: { cause?: unknown },
  ) {
    super(`${WORDS[code].title}. ${WORDS[code].advice}`, options);
    this.name = 'PlayerError';
    this.title = WORDS[code].title;
    this.advice = WORDS[code].advice;
    this.retry = WORDS[code].retry;
  }
}

/** The service's code where we have words for it; anything else it answers is "briefly away". */
export function playerErrorOf(code: unknown): PlayerError {
  return new PlayerError(typeof code === 'string' && code in WORDS ? (code as PlayerErrorCode) : 'SERVICE_UNAVAILABLE');
}
