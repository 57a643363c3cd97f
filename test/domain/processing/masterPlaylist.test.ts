import { expect, test } from 'vitest';
import { masterPlaylist } from '../../../src/domain/processing/masterPlaylist.js';

const LARGE = {
  quality: '720p' as const,
  playlistPath: '720p/index.m3u8',
  peakBandwidthBps: 3_000_000.4,
  averageBandwidthBps: 2_000_000,
  codecs: 'avc1.64001f',
  width: 1280,
  height: 720,
  frameRate: { numerator: 30_000, denominator: 1001 },
};
const SMALL = {
  ...LARGE,
  quality: '480p' as const,
  playlistPath: '480p/index.m3u8',
  peakBandwidthBps: 1_000_000,
  averageBandwidthBps: 800_000,
  width: 854,
  height: 480,
};
const SOUND = {
  quality: 'audio' as const,
  playlistPath: 'audio/index.m3u8',
  peakBandwidthBps: 131_000,
  averageBandwidthBps: 129_000,
  codecs: 'mp4a.40.2',
  width: null,
  height: null,
  frameRate: null,
};

test('pictures share one sound, which counts in their bandwidth, and it can be had alone', () => {
  expect(masterPlaylist([SMALL, SOUND, LARGE].map(inRun))).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Main",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="r1/audio/index.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=3131001,AVERAGE-BANDWIDTH=2129000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=29.970,AUDIO="audio"
r1/720p/index.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=1131000,AVERAGE-BANDWIDTH=929000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=854x480,FRAME-RATE=29.970,AUDIO="audio"
r1/480p/index.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=131000,AVERAGE-BANDWIDTH=129000,CODECS="mp4a.40.2",AUDIO="audio"
r1/audio/index.m3u8
`);
});

test('without sound there is no group', () => {
  expect(masterPlaylist([LARGE])).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=3000001,AVERAGE-BANDWIDTH=2000000,CODECS="avc1.64001f",RESOLUTION=1280x720,FRAME-RATE=29.970
720p/index.m3u8
`);
});

test('sound alone is one plain variant', () => {
  expect(masterPlaylist([SOUND].map(inRun))).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=131000,AVERAGE-BANDWIDTH=129000,CODECS="mp4a.40.2"
r1/audio/index.m3u8
`);
});

function inRun<Rung extends { playlistPath: string }>(rung: Rung): Rung {
  return { ...rung, playlistPath: `r1/${rung.playlistPath}` };
}
