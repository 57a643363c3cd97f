import type { PlayerErrorCode, Quality } from './api.js';

export interface EngineEvents {
  /** The ladder, best first. Empty if the browser does not reveal it. */
  readonly onQualities: (qualities: readonly Quality[]) => void;
  /** Called when another rendition is on screen. */
  readonly onQuality: (quality: Quality) => void;
  /** Called when playback cannot continue. */
  readonly onError: (code: PlayerErrorCode, cause?: unknown) => void;
  /**
   * Called when a request of the stream failed. Returns true if its grant was refused; the session then replaces the
   * engine.
   */
  readonly isRefused: (status: number | undefined, body: () => string) => boolean;
}

export interface Stream {
  readonly url: string;
  /** Where to begin. */
  readonly startSeconds: number;
}

/** A sound track, as menus show it. */
export interface Sound {
  readonly label: string;
  readonly isChecked: boolean;
  readonly pick: () => void;
}

/** Plays one playlist in one `<video>`. */
export interface Engine {
  /** The sound tracks, such as languages or a commentary. */
  sounds(): Sound[];
  /** Null lets the player choose the rendition. */
  pin(quality: Quality | null): void;
  destroy(): void;
}
