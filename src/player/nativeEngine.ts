import type { Engine, EngineEvents, Stream } from './engine.js';

/** An `AudioTrack`, which only Apple's browsers have. */
interface NativeSound {
  readonly label: string;
  enabled: boolean;
}

/** Plays with the browser's own HLS support. */
export function nativeEngine(video: HTMLVideoElement, { url, startSeconds }: Stream, events: EngineEvents): Engine {
  const closed = new AbortController();
  const { signal } = closed;
  /** The browser never says why it stopped, but a request for the playlist does. Returns its status, if any. */
  const ask = async (): Promise<number | undefined> => {
    try {
      const answer = await fetch(url, { signal, credentials: 'omit', cache: 'no-store' });
      const body = await answer.text();
      if (!signal.aborted) events.isRefused(answer.status, () => body);
      return answer.status;
    } catch {
      return undefined;
    }
  };
  const fail = async (): Promise<void> => {
    const lost = video.error?.code === MediaError.MEDIA_ERR_NETWORK;
    const status = await ask();
    if (signal.aborted) return;
    if (status === 404) events.onError('VIDEO_NOT_FOUND');
    else events.onError(lost ? 'NETWORK' : 'DECODE');
  };
  const begin = (): void => {
    if (startSeconds > 0) video.currentTime = startSeconds;
  };
  video.addEventListener('error', () => void fail(), { signal });
  // When the grant expires during playback, some browsers only stop loading.
  video.addEventListener('stalled', () => void ask(), { signal });
  video.addEventListener('loadedmetadata', begin, { once: true, signal });
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
      closed.abort();
      video.removeAttribute('src');
      video.load();
    },
  };
}
