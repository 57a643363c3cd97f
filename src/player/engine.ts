import type { Quality } from './api.js';
import { PlayerError } from './errors.js';
import { hlsEngine } from './hlsEngine.js';
import { loadHls } from './surroundings.js';

const HLS_TYPE = 'application/vnd.apple.mpegurl';

export interface EngineEvents {
  /** The ladder, best first; empty where the browser keeps it to itself. */
  readonly onQualities: (qualities: readonly Quality[]) => void;
  /** Another rendition is on screen. */
  readonly onQuality: (quality: Quality) => void;
  /** Nothing more plays. */
  readonly onError: (error: PlayerError) => void;
  /** The permission in the stream's address has run out, or was never good. `code` is the service's, where it gave one. */
  readonly onRefused: (code: unknown) => void;
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

/** An `AudioTrack`, which only Apple's browsers have. */
interface NativeSound {
  readonly label: string;
  enabled: boolean;
}

/** What plays one playlist in one `<video>`. */
export interface Engine {
  /** What can be heard: languages, a commentary. */
  sounds(): Sound[];
  /** Null gives the choice of rendition back to the player. */
  pin(quality: Quality | null): void;
  destroy(): void;
}

/** Native HLS is better on Apple's browsers only (AirPlay, battery); others merely claim to have it. */
function nativeIsBetter(video: HTMLVideoElement): boolean {
  return video.canPlayType(HLS_TYPE) !== '' && ('GestureEvent' in globalThis || !('MediaSource' in globalThis));
}

/** Fetches what playing will take, where somebody is about to press play. */
export function warmUp(video: HTMLVideoElement): void {
  if (!nativeIsBetter(video)) loadHls().catch(() => undefined);
}

/**
 * Starts loading a stream into `video`. hls.js is fetched only by browsers that need it.
 * @throws PlayerError
 */
export async function startEngine(
  video: HTMLVideoElement,
  stream: Stream,
  events: EngineEvents,
  signal: AbortSignal,
): Promise<Engine> {
  if (nativeIsBetter(video)) return nativeEngine(video, stream, events);

  const library = await loadHls().catch((cause: unknown) => {
    throw new PlayerError('NETWORK', { cause });
  });
  signal.throwIfAborted();
  if (!library.default.isSupported()) throw new PlayerError('UNSUPPORTED');
  return hlsEngine(library.default, video, stream, events);
}

function nativeEngine(video: HTMLVideoElement, { url, startSeconds }: Stream, events: EngineEvents): Engine {
  const fail = (): void => {
    const lost = video.error?.code === MediaError.MEDIA_ERR_NETWORK;
    events.onError(new PlayerError(lost ? 'NETWORK' : 'DECODE'));
  };
  const begin = (): void => {
    if (startSeconds > 0) video.currentTime = startSeconds;
  };
  video.addEventListener('error', fail);
  video.addEventListener('loadedmetadata', begin, { once: true });
  video.src = url;
  events.onQualities([]);
  return {
    sounds: () =>
      [...((video as { audioTracks?: Iterable<NativeSound> }).audioTracks ?? [])].map((track, _, all) => ({
        label: track.label,
        isChecked: track.enabled,
        pick: () => all.forEach((other) => (other.enabled = other === track)),
      })),
    pin: () => undefined,
    destroy() {
      video.removeEventListener('error', fail);
      video.removeEventListener('loadedmetadata', begin);
      video.removeAttribute('src');
      video.load();
    },
  };
}
