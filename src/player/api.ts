/**
 * What a page sees of `<dhara-player>`: types alone. This file is also what `dhara-player.d.ts` is made of.
 */

/** Why nothing plays. The service's own codes come first; the last four happen in the browser. */
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

/** What a playback token is exchanged for. `url` is an HLS playlist that outlives the video. */
export interface Manifest {
  readonly url: string;
  readonly videoId?: string;
  readonly title: string;
  /** Null for a video whose length is not known yet. */
  readonly durationSeconds: number | null;
  readonly posterUrl: string | null;
  /** WebVTT whose cues are `sprite.jpg#xywh=x,y,w,h`. */
  readonly storyboardUrl?: string | null;
  /** WebVTT whose cues are the titles of chapters. */
  readonly chaptersUrl?: string | null;
  /** Those with a `url` (WebVTT) are added to what the stream brings itself. */
  /** RFC 3339; when `url` ends. */
  readonly expiresAt?: string;
  readonly captions?: readonly { readonly language: string; readonly label: string; readonly url?: string | null }[];
}

/** Why a token is wanted: there is none, the one at hand is dead, or the stream's own permission has run out. */
export type TokenReason = 'missing' | 'expired';

/** Resolves to a fresh playback token, from the page's own server. */
export type TokenProvider = (reason: TokenReason) => Promise<string> | string;

/** One rendition of the ladder. `height` is what it is called by: 720 of "720p". */
export interface Quality {
  readonly height: number;
  readonly label: string;
}

/** The events of its own; all of `<video>`'s are repeated beside them. None bubbles. */
export interface DharaPlayerEventMap {
  /** Nothing plays, and the viewer has been told so. `<video>`'s own `error` is never repeated. */
  error: CustomEvent<{ code: PlayerErrorCode; message: string }>;
  statechange: CustomEvent<{ state: PlayerState }>;
  manifest: CustomEvent<Manifest>;
  /** The rendition on screen changed, or the wish for one; `auto` where the player chooses. */
  qualitychange: CustomEvent<{ quality: Quality | null; auto: boolean }>;
  /** `language` is null where captions are off. */
  captionschange: CustomEvent<{ language: string | null }>;
  /** Whoever has a token calls `provide` while the event is dispatched, with it or a promise of it. */
  'dhara-token-needed': CustomEvent<{ reason: TokenReason; provide: (token: Promise<string> | string) => void }>;
}

export interface DharaPlayerElement extends HTMLElement {
  /** The playback token. A new one is used from the next play on, or at once where something plays. */
  token: string | null;
  /** Asked for a token where there is none or the one at hand has expired. */
  tokenProvider: TokenProvider | null;
  /** The service's origin. By default where the player's script came from. */
  api: string;
  poster: string | null;
  autoplay: boolean;
  loop: boolean;
  muted: boolean;
  /** 0 to 1. */
  volume: number;
  playbackRate: number;
  /** Seconds. Set before anything is loaded, it is where playback starts. */
  currentTime: number;
  /** Height of the rendition to play, or 'auto'. */
  quality: number | 'auto';
  /** Best first; empty until they are known. */
  readonly qualities: readonly Quality[];
  /** Seconds; NaN until it is known. */
  readonly duration: number;
  readonly paused: boolean;
  readonly ended: boolean;
  readonly seeking: boolean;
  readonly buffered: TimeRanges;
  readonly textTracks: TextTrackList;
  readonly state: PlayerState;
  readonly manifest: Manifest | null;
  /** The `<video>` inside, for whatever the element has nothing for. */
  readonly video: HTMLVideoElement;

  /** Exchanges the token where that has not happened, then plays. Rejects as `<video>.play()` does. */
  play(): Promise<void>;
  pause(): void;
  /** Starts over with the token at hand. */
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
