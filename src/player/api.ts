/**
 * The public types of `<dhara-player>`. `dhara-player.d.ts` is generated from this file.
 */

/** Why nothing plays. The service's codes come first. The last four occur in the browser. */
export type PlayerErrorCode =
  | 'INVALID_PLAYBACK_TOKEN'
  | 'PLAYBACK_TOKEN_EXPIRED'
  | 'DOMAIN_NOT_ALLOWED'
  | 'VIDEO_NOT_FOUND'
  | 'VIDEO_NOT_READY'
  | 'ACCOUNT_SUSPENDED'
  | 'SERVICE_UNAVAILABLE'
  | 'NO_TOKEN'
  | 'NETWORK'
  | 'DECODE'
  | 'UNSUPPORTED';

/** `idle` before the first play, `waiting` while the video is still being processed. */
export type PlayerState = 'idle' | 'loading' | 'waiting' | 'ready' | 'error';

/**
 * What a playback token is exchanged for. `url` is an HLS playlist that stays valid for longer than the video plays.
 */
export interface Manifest {
  readonly url: string;
  readonly videoId?: string;
  readonly title: string;
  /** Null if the duration is not known yet. */
  readonly durationSeconds: number | null;
  readonly posterUrl: string | null;
  /** WebVTT whose cues are `sprite.jpg#xywh=x,y,w,h`. */
  readonly storyboardUrl?: string | null;
  /** WebVTT whose cues are the titles of chapters. */
  readonly chaptersUrl?: string | null;
  /** Captions with a `url` (WebVTT) are added to those of the stream. */
  /** When `url` expires, as RFC 3339. */
  readonly expiresAt?: string;
  readonly captions?: readonly { readonly language: string; readonly label: string; readonly url?: string | null }[];
}

/** Why a token is needed: there is none, the current one has expired, or the stream's grant has expired. */
export type TokenReason = 'missing' | 'expired';

/** Resolves to a fresh playback token, from the page's own server. */
export type TokenProvider = (reason: TokenReason) => Promise<string> | string;

/** One rendition of the ladder. `height` is the number in its name: 720 for "720p". */
export interface Quality {
  readonly height: number;
  readonly label: string;
}

/** The player's own events. It also repeats the events of `<video>`. None of them bubbles. */
export interface DharaPlayerEventMap {
  /** Playback failed, and the viewer sees a message. The `error` event of `<video>` is never repeated. */
  error: CustomEvent<{ code: PlayerErrorCode; message: string }>;
  statechange: CustomEvent<{ state: PlayerState }>;
  manifest: CustomEvent<Manifest>;
  /** The rendition on screen or the selected one changed. `auto` means that the player chooses. */
  qualitychange: CustomEvent<{ quality: Quality | null; auto: boolean }>;
  /** `language` is null if captions are off. */
  captionschange: CustomEvent<{ language: string | null }>;
  /** A listener that has a token calls `provide` during the event, with the token or a promise of it. */
  'dhara-token-needed': CustomEvent<{ reason: TokenReason; provide: (token: Promise<string> | string) => void }>;
}

export interface DharaPlayerElement extends HTMLElement {
  /** The playback token. A new token is used from the next play on, or at once while something plays. */
  token: string | null;
  /** Called if there is no token or the current one has expired. */
  tokenProvider: TokenProvider | null;
  /** The service's origin. Default: the origin of the player's script. */
  api: string;
  poster: string | null;
  autoplay: boolean;
  loop: boolean;
  muted: boolean;
  /** 0 to 1. */
  volume: number;
  playbackRate: number;
  /** Seconds. If set before anything is loaded, playback starts there. */
  currentTime: number;
  /** Height of the selected rendition, or 'auto'. */
  quality: number | 'auto';
  /** Best first. Empty until they are known. */
  readonly qualities: readonly Quality[];
  /** Seconds. NaN until it is known. */
  readonly duration: number;
  readonly paused: boolean;
  readonly ended: boolean;
  readonly seeking: boolean;
  readonly buffered: TimeRanges;
  readonly textTracks: TextTrackList;
  readonly state: PlayerState;
  readonly manifest: Manifest | null;
  /** The id of the last view, a UUID, once its token was sent. "Explain playback" tells what happened to this view. */
  readonly viewId: string | null;
  /** The `<video>` inside, for features that the element does not offer. */
  readonly video: HTMLVideoElement;

  /** Exchanges the token if necessary, then plays. Rejects like `<video>.play()`. */
  play(): Promise<void>;
  pause(): void;
  /** Starts over with the current token. */
  load(): void;

  addEventListener<Type extends keyof DharaPlayerEventMap>(
    type: Type,
    listener: (event: DharaPlayerEventMap[Type]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

declare global {
  interface HTMLElementTagNameMap {
    'dhara-player': DharaPlayerElement;
  }
}
