import Hls, { ErrorDetails, ErrorTypes, Events, type ErrorData, type Level } from 'hls.js';

import type { PlayerErrorCode, Quality } from './api.js';
import type { Engine, EngineEvents, Stream } from './engine.js';

/** Plays with hls.js, and is part of its chunk. So it imports only types from the player's other modules. */
export function hlsEngine(video: HTMLVideoElement, { url, startSeconds }: Stream, events: EngineEvents): Engine {
  const hls = new Hls({
    capLevelToPlayerSize: true,
    backBufferLength: 90,
    startPosition: startSeconds > 0 ? startSeconds : -1,
    startFragPrefetch: true,
    // The segments are fMP4, so a worker would have nothing to remux, and a strict page allows no `blob:` worker.
    enableWorker: false,
  });
  let recovered = false;

  hls.on(Events.MANIFEST_PARSED, () => events.onQualities(ladderOf(hls.levels)));
  hls.on(Events.LEVEL_SWITCHED, (_event, { level }) => {
    const shown = hls.levels[level];
    if (shown && heightOf(shown) > 0) events.onQuality(qualityOf(shown));
  });
  hls.on(Events.ERROR, (_event, data) => {
    const body = (): string => (data.networkDetails as XMLHttpRequest).responseText;
    if (events.isRefused(data.response?.code, body) || !data.fatal) return;
    if (data.type === ErrorTypes.MEDIA_ERROR && !recovered) {
      recovered = true;
      hls.recoverMediaError();
      return;
    }
    events.onError(codeOf(data), data.error);
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
      // The viewer chose this rendition, so the size of the page no longer limits it.
      hls.capLevelToPlayerSize = level === -1;
    },
    destroy: () => hls.destroy(),
  };
}

function codeOf(data: ErrorData): PlayerErrorCode {
  if (data.type !== ErrorTypes.NETWORK_ERROR) return 'DECODE';
  const status = data.response?.code ?? 0;
  // Only a missing master playlist means a missing video. A missing segment may be there a moment later.
  if (status === 404 && data.details === ErrorDetails.MANIFEST_LOAD_ERROR) return 'VIDEO_NOT_FOUND';
  return status >= 400 ? 'SERVICE_UNAVAILABLE' : 'NETWORK';
}

/** A rendition is named after its shorter side, in landscape and in portrait. */
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
