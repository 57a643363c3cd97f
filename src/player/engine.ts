import type { PlayerErrorCode, Quality } from './api.js';

export interface EngineEvents {
  /** The ladder, best first; empty where the browser keeps it to itself. */
  readonly onQualities: (qualities: readonly Quality[]) => void;
  /** Another rendition is on screen. */
  readonly onQuality: (quality: Quality) => void;
  /** Nothing more plays. */
  readonly onError: (code: PlayerErrorCode, cause?: unknown) => void;
  /** A request of the stream failed. True where its permission was refused: the session then replaces the engine. */
  readonly isRefused: (status: number | undefined, body: () => string) => boolean;
}

export interface Stream {
  readonly url: string;
  /** Where to begin. */
  readonly startSeconds: number;
}

/** A track of sound, as menus have it. */
export interface Sound {
  readonly label: string;
  readonly isChecked: boolean;
  readonly pick: () => void;
}

/** What plays one playlist in one `<video>`. */
export interface Engine {
  /** What can be heard: languages, a commentary. */
  sounds(): Sound[];
  /** Null gives the choice of rendition back to the player. */
  pin(quality: Quality | null): void;
  destroy(): void;
}
