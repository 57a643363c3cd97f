import type { Engine, EngineEvents, Stream } from './engine.js';
import { PlayerError } from './errors.js';
import { nativeEngine } from './nativeEngine.js';
import { loadHls } from './surroundings.js';

const HLS_TYPE = 'application/vnd.apple.mpegurl';

/** Native HLS is better only in Apple's browsers (AirPlay, battery). Others merely claim to support it. */
function nativeIsBetter(video: HTMLVideoElement): boolean {
  return video.canPlayType(HLS_TYPE) !== '' && ('GestureEvent' in globalThis || !('MediaSource' in globalThis));
}

/** Prefetches what playback needs when somebody is about to press play. */
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
  if (!library.isSupported()) throw new PlayerError('UNSUPPORTED');
  return library.hlsEngine(video, stream, events);
}
