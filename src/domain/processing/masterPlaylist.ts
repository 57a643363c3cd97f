import type { EncodedRung } from '../../ports/transcoder.js';
import { framesPerSecond } from './frameRate.js';

const AUDIO_GROUP = 'audio';
const CAPTIONS_GROUP = 'captions';

type MasterRung = Pick<
  EncodedRung,
  'quality' | 'playlistPath' | 'peakBandwidthBps' | 'averageBandwidthBps' | 'codecs' | 'width' | 'height' | 'frameRate'
>;

/** A track of captions that plays beside all variants. */
export interface MasterCaption {
  /** BCP 47 */
  readonly language: string;
  /** One line, unique among them. */
  readonly label: string;
  /** Of its media playlist. */
  readonly uri: string;
}

/**
 * The HLS multivariant playlist over finished rungs, best first.
 *
 * Bandwidths are the measured ones; a picture's include the sound that plays with it. Sound is also
 * a variant of its own, last, for players that want (or can afford) nothing else; without pictures
 * it is the only one and needs no group.
 *
 * @param rungs their playlist paths as they stand in it: '1-2/720p/index.m3u8'
 */
export function masterPlaylist(rungs: readonly MasterRung[], captions: readonly MasterCaption[] = []): string {
  const audio = rungs.find((rung) => rung.quality === 'audio') ?? null;
  const videos = rungs
    .filter((rung) => rung.quality !== 'audio')
    .toSorted((a, b) => b.averageBandwidthBps - a.averageBandwidthBps);

  const lines = ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-INDEPENDENT-SEGMENTS'];
  const grouped = audio !== null && videos.length > 0;
  if (grouped) lines.push(mediaTag(audio.playlistPath));
  lines.push(...captions.map(captionTag));
  const captioned = captions.length > 0 ? `,SUBTITLES="${CAPTIONS_GROUP}"` : '';
  for (const rung of [...videos, ...(audio === null ? [] : [audio])]) {
    lines.push(variantTag(rung, grouped ? audio : null) + captioned, rung.playlistPath);
  }
  return `${lines.join('\n')}\n`;
}

function mediaTag(uri: string): string {
  return `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="${AUDIO_GROUP}",NAME="Main",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="${uri}"`;
}

function captionTag({ language, label, uri }: MasterCaption): string {
  // A quoted string of a playlist has no way to hold its own quotes.
  const name = label.replaceAll('"', "'");
  return [
    `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="${CAPTIONS_GROUP}",NAME="${name}"`,
    ...(language === 'und' ? [] : [`LANGUAGE="${language}"`]),
    `DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="${uri}"`,
  ].join(',');
}

function variantTag(rung: MasterRung, audio: MasterRung | null): string {
  const sound = audio === rung ? null : audio;
  const attributes = [
    `BANDWIDTH=${Math.ceil(rung.peakBandwidthBps + (sound?.peakBandwidthBps ?? 0))}`,
    `AVERAGE-BANDWIDTH=${Math.ceil(rung.averageBandwidthBps + (sound?.averageBandwidthBps ?? 0))}`,
    `CODECS="${[rung.codecs, ...(sound === null ? [] : [sound.codecs])].join(',')}"`,
  ];
  if (rung.width !== null && rung.height !== null) {
    attributes.push(`RESOLUTION=${rung.width}x${rung.height}`);
  }
  if (rung.frameRate !== null) {
    attributes.push(`FRAME-RATE=${framesPerSecond(rung.frameRate).toFixed(3)}`);
  }
  if (audio !== null) {
    attributes.push(`AUDIO="${AUDIO_GROUP}"`);
  }
  return `#EXT-X-STREAM-INF:${attributes.join(',')}`;
}
