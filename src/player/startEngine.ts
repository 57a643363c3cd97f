import type { Engine, EngineEvents, Stream } from './engine.js';
import { PlayerError } from './errors.js';
import { hlsEngine } from './hlsEngine.js';
import { loadHls } from './surroundings.js';

const HLS_TYPE = 'application/vnd.apple.mpegurl';

/** An `AudioTrack`, which only Apple's browsers have. */
interface NativeSound {
  readonly label: string;
  enabled: boolean;
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
