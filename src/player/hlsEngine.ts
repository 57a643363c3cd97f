import type Hls from 'hls.js';
import type { ErrorData, Level } from 'hls.js';

import type { Quality } from './api.js';
import type { Engine, EngineEvents, Stream } from './engine.js';
import { PlayerError } from './errors.js';

const REFUSED = [401, 403, 410];

/** Plays by hls.js. */
export function hlsEngine(
  Library: typeof Hls,
  video: HTMLVideoElement,
  { url, startSeconds }: Stream,
  events: EngineEvents,
): Engine {
  const { Events, ErrorTypes } = Library;
  const hls = new Library({
    capLevelToPlayerSize: true,
    backBufferLength: 90,
    startPosition: startSeconds > 0 ? startSeconds : -1,
    startFragPrefetch: true,
    // The segments are fMP4: there is nothing for a worker to remux, and a strict page allows no `blob:` worker.
    enableWorker: false,
  });
  let recovered = false;

  hls.on(Events.MANIFEST_PARSED, () => events.onQualities(ladderOf(hls.levels)));
  hls.on(Events.LEVEL_SWITCHED, (_event, { level }) => {
    const shown = hls.levels[level];
    if (shown && heightOf(shown) > 0) events.onQuality(qualityOf(shown));
  });
  hls.on(Events.ERROR, (_event, data) => {
    if (REFUSED.includes(data.response?.code ?? 0)) {
      events.onRefused(serviceCode(data.networkDetails));
      return;
    }
    if (!data.fatal) return;
    if (data.type === ErrorTypes.MEDIA_ERROR && !recovered) {
      recovered = true;
      hls.recoverMediaError();
      return;
    }
    events.onError(new PlayerError(codeOf(data, data.type === ErrorTypes.NETWORK_ERROR), { cause: data.error }));
  });
  hls.loadSource(url);
  hls.attachMedia(video);

  return {
    sounds: () =>
      hls.audioTracks.map(({ name: label }, id) => ({
        label,
        isChecked: id === hls.audioTrack,
        pick: () => (hls.audioTrack = id),
      })),
    pin(quality) {
      const level = quality === null ? -1 : hls.levels.findIndex((candidate) => heightOf(candidate) === quality.height);
      hls.nextLevel = level;
      // A pinned rendition is the viewer's wish: the size of the page no longer limits it.
      hls.capLevelToPlayerSize = level === -1;
    },
    destroy: () => hls.destroy(),
  };
}

/** The code in the service's answer; undefined where it is not one of its envelopes. */
function serviceCode(request: unknown): unknown {
  try {
    return (JSON.parse((request as XMLHttpRequest).responseText) as { error: { code: unknown } }).error.code;
  } catch {
    return undefined;
  }
}

function codeOf(data: ErrorData, isNetwork: boolean): PlayerError['code'] {
  if (data.response?.code === 404) return 'VIDEO_NOT_FOUND';
  return isNetwork ? 'NETWORK' : 'DECODE';
}

/** The shorter side is what a rendition is called by, however the video is turned. */
function heightOf({ height, width }: Level): number {
  return Math.min(height || 0, width || 0);
}

function qualityOf(level: Level): Quality {
  const height = heightOf(level);
  return { height, label: `${height}p` };
}

function ladderOf(levels: readonly Level[]): Quality[] {
  return levels
    .map(qualityOf)
    .filter(({ height }) => height > 0)
    .sort((a, b) => b.height - a.height);
}
