import Hls, { ErrorDetails, ErrorTypes, Events, type ErrorData, type Level } from 'hls.js';

import type { PlayerErrorCode, Quality } from './api.js';
import type { Engine, EngineEvents, Stream } from './engine.js';

/** Plays by hls.js, in whose chunk it is: of the player's own modules it imports types only. */
export function hlsEngine(video: HTMLVideoElement, { url, startSeconds }: Stream, events: EngineEvents): Engine {
  const hls = new Hls({
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
      // A pinned rendition is the viewer's wish: the size of the page no longer limits it.
      hls.capLevelToPlayerSize = level === -1;
    },
    destroy: () => hls.destroy(),
  };
}

function codeOf(data: ErrorData): PlayerErrorCode {
  if (data.type !== ErrorTypes.NETWORK_ERROR) return 'DECODE';
  const status = data.response?.code ?? 0;
  // Only the master playlist stands for the video: one missing segment may be there a moment later.
  if (status === 404 && data.details === ErrorDetails.MANIFEST_LOAD_ERROR) return 'VIDEO_NOT_FOUND';
  return status >= 400 ? 'SERVICE_UNAVAILABLE' : 'NETWORK';
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
