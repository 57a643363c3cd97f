import { atOnce } from '../../shared/inTurns.js';
import type { Chapter } from './chapters.js';
import type { Cue } from './cue.js';

/** Writes a WebVTT file. `parseCaptions` reads it back unchanged. */
export function captionsVtt(cues: readonly Cue[]): string {
  return atOnce(writeCaptions(cues));
}

/** Like `captionsVtt`, cue by cue. */
export function* writeCaptions(cues: readonly Cue[]): Generator<void, string> {
  const blocks: string[] = [];
  for (const { startMs, endMs, settings, text } of cues) {
    yield;
    blocks.push(`${clock(startMs)} --> ${clock(endMs)}${settings === '' ? '' : ` ${settings}`}\n${text}\n`);
  }
  return `WEBVTT\n\n${blocks.join('\n')}`;
}

/**
 * Makes it an HLS segment: says that its times are media times, which start at zero here. Elsewhere the line is part of
 * the header and is ignored.
 */
export function asHlsSegment(vtt: string): string {
  return vtt.replace('WEBVTT\n', 'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n');
}

/** A media playlist with this file as its only segment. */
export function captionsPlaylist(file: string, durationMs: number): string {
  const seconds = Math.max(0.001, durationMs / 1_000);
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${Math.ceil(seconds)}`,
    '#EXT-X-PLAYLIST-TYPE:VOD',
    `#EXTINF:${seconds.toFixed(3)},`,
    file,
    '#EXT-X-ENDLIST',
    '',
  ].join('\n');
}

/** Each chapter lasts until the next one, and the last until the end. Omits chapters after the end. */
export function chaptersVtt(chapters: readonly Chapter[], durationMs: number): string {
  const within = chapters.filter(({ startMs }) => startMs < durationMs);
  const blocks = within.map(({ startMs, title }, index) => {
    const endMs = within[index + 1]?.startMs ?? durationMs;
    return `${clock(startMs)} --> ${clock(endMs)}\n${escaped(title)}\n`;
  });
  return `WEBVTT\n\n${blocks.join('\n')}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function clock(timeMs: number): string {
  const part = (value: number, digits: number): string => `${Math.floor(value)}`.padStart(digits, '0');
  const seconds = timeMs / 1_000;
  return `${part(seconds / 3_600, 2)}:${part((seconds / 60) % 60, 2)}:${part(seconds % 60, 2)}.${part(timeMs % 1_000, 3)}`;
}
