import type { PlayerErrorCode } from './api.js';

/** Title, advice, and whether a retry can help. */
type Words = readonly [title: string, advice: string, retry?: true];

const WORDS: Record<PlayerErrorCode, Words> = {
  INVALID_PLAYBACK_TOKEN: [
    'This link does not work',
    'It may have been cut short when it was copied. Ask for the link again.',
  ],
  PLAYBACK_TOKEN_EXPIRED: [
    'This link has expired',
    'Reload the page, or go back to where you found the video and open it again.',
  ],
  DOMAIN_NOT_ALLOWED: ['This video may not play on this site', 'Its owner has chosen the sites it plays on.'],
  VIDEO_NOT_FOUND: ['This video is no longer here', 'Its owner has removed it.'],
  VIDEO_NOT_READY: ['This video is still processing', 'It starts by itself as soon as it is ready.'],
  ACCOUNT_SUSPENDED: ['This video is not available', 'Its owner’s account is suspended.'],
  SERVICE_UNAVAILABLE: ['The video service is briefly away', 'Try again in a moment.', true],
  NO_TOKEN: ['There is nothing to play', 'The page has not said which video it wants. Reload it.', true],
  NETWORK: ['The connection was lost', 'Check your network. Playback resumes where it stopped.', true],
  DECODE: ['This video could not be played', 'Your browser stopped decoding it. Try again, or use another.', true],
  UNSUPPORTED: ['Your browser cannot play this video', 'Update it, or use another one.'],
};

/** Why playback stopped, in words for the viewer: `title`, `advice`, and whether a retry can help. */
export class PlayerError extends Error {
  readonly title: string;
  readonly advice: string;
  readonly retry: boolean;

  constructor(
    readonly code: PlayerErrorCode,
    options?: { cause?: unknown },
  ) {
    const [title, advice, retry = false] = WORDS[code];
    super(`${title}. ${advice}`, options);
    this.name = 'PlayerError';
    this.title = title;
    this.advice = advice;
    this.retry = retry;
  }
}

/** Returns the service's code if there are words for it. Any other response counts as temporarily unavailable. */
export function playerErrorOf(code: unknown): PlayerError {
  // A page that may not even request a manifest is on a site that is not allowed.
  if (code === 'FORBIDDEN') return new PlayerError('DOMAIN_NOT_ALLOWED');
  return new PlayerError(typeof code === 'string' && code in WORDS ? (code as PlayerErrorCode) : 'SERVICE_UNAVAILABLE');
}
