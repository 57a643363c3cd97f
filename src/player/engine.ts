import type Hls from 'hls.js';
import type { ErrorData } from 'hls.js';
import { PlayerError } from './errors.js';

const HLS_TYPE = 'application/vnd.apple.mpegurl';

/** One rung the viewer may pin. */
export interface Rung {
  readonly index: number;
  /** Such as "1080p". */
  readonly label: string;
}

export interface EngineEvents {
  readonly onRungs: (rungs: readonly Rung[]) => void;
  readonly onError: (error: PlayerError) => void;
}

/** What plays one playlist in one `<video>`. `pin(-1)` gives the choice of rung back to the player. */
export interface Engine {
  pin(index: number): void;
  destroy(): void;
}

/** Native HLS is better on Apple's browsers only (AirPlay, battery); others merely claim to have it. */
function nativeIsBetter(video: HTMLVideoElement): boolean {
  return video.canPlayType(HLS_TYPE) !== '' && ('GestureEvent' in globalThis || !('MediaSource' in globalThis));
}

/** Starts loading `url` into `video`. hls.js is fetched only by browsers that need it. */
export async function startEngine(video: HTMLVideoElement, url: string, events: EngineEvents): Promise<Engine> {
  if (nativeIsBetter(video)) return nativeEngine(video, url, events);

  const { default: HlsPlayer } = await import('hls.js');
  if (!HlsPlayer.isSupported()) throw new PlayerError('UNSUPPORTED');
  return hlsEngine(new HlsPlayer({ capLevelToPlayerSize: true, backBufferLength: 90 }), HlsPlayer, video, url, events);
}

function nativeEngine(video: HTMLVideoElement, url: string, events: EngineEvents): Engine {
  const fail = (): void => {
    const lost = video.error?.code === MediaError.MEDIA_ERR_NETWORK;
    events.onError(new PlayerError(lost ? 'NETWORK' : 'DECODE'));
  };
  video.addEventListener('error', fail);
  video.src = url;
  return {
    pin: () => undefined,
    destroy() {
      video.removeEventListener('error', fail);
      video.removeAttribute('src');
      video.load();
    },
  };
}

function hlsEngine(
  hls: Hls,
  { Events, ErrorTypes }: typeof Hls,
  video: HTMLVideoElement,
  url: string,
  events: EngineEvents,
): Engine {
  let recovered = false;

  hls.on(Events.MANIFEST_PARSED, (_event, { levels }) => {
    events.onRungs(
      levels
        .map((level, index) => ({ index, height: Math.min(level.height, level.width) }))
        .filter(({ height }) => height > 0)
        .sort((a, b) => b.height - a.height)
        .map(({ index, height }) => ({ index, label: `${height}p` })),
    );
  });
  hls.on(Events.ERROR, (_event, data: ErrorData) => {
    if (!data.fatal) return;
    if (data.type === ErrorTypes.MEDIA_ERROR && !recovered) {
      recovered = true;
      hls.recoverMediaError();
      return;
    }
    events.onError(
      new PlayerError(data.type === ErrorTypes.NETWORK_ERROR ? 'NETWORK' : 'DECODE', { cause: data.error }),
    );
  });
  hls.loadSource(url);
  hls.attachMedia(video);

  return {
    pin(index) {
      hls.nextLevel = index;
      // A pinned rung is the viewer's wish: the size of the page no longer limits it.
      hls.capLevelToPlayerSize = index === -1;
    },
    destroy: () => hls.destroy(),
  };
}
