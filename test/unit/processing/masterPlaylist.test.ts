import { expect, test } from 'vitest';
import { masterPlaylist } from '../../../src/domain/media/library/masterPlaylist.js';

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

test('all pictures share one audio group, which counts in their bandwidth and is also its own variant', () => {
  expect(masterPlaylist([SMALL, SOUND, LARGE].map(inRun))).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Main",LANGUAGE="und",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="r1/audio/index.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=1131000,AVERAGE-BANDWIDTH=929000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=854x480,FRAME-RATE=29.970,AUDIO="audio"
r1/480p/index.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=3131001,AVERAGE-BANDWIDTH=2129000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=29.970,AUDIO="audio"
r1/720p/index.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=131000,AVERAGE-BANDWIDTH=129000,CODECS="mp4a.40.2",AUDIO="audio"
r1/audio/index.m3u8
`);
});

test('a light variant comes first, since some players start with the first; the others are best first', () => {
  const LIGHT = { ...SMALL, quality: '432p' as const, playlistPath: '432p/index.m3u8', averageBandwidthBps: 700_000 };
  const least = { ...LIGHT, quality: '360p' as const, playlistPath: '360p/index.m3u8', averageBandwidthBps: 350_000 };
  const larger = { ...SMALL, averageBandwidthBps: 1_400_000 };
  const uris = masterPlaylist([larger, least, SOUND, LIGHT, LARGE].map(inRun))
    .split('\n')
    .filter((line) => line.startsWith('r1'));
  expect(uris.map((uri) => uri.split('/')[1])).toEqual(['432p', '720p', '480p', '360p', 'audio']);
});

test('I-frame playlists come after all variants', () => {
  const keyFrames = { playlistPath: '720p/iframes.m3u8', peakBandwidthBps: 90_000.5, averageBandwidthBps: 80_000 };
  const lines = masterPlaylist([SMALL, { ...LARGE, keyFrames }, SOUND]).split('\n');
  expect(lines.filter((line) => line.includes('I-FRAME'))).toHaveLength(1);
  expect(lines.at(-2)).toBe(
    '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=90001,AVERAGE-BANDWIDTH=80000,CODECS="avc1.64001f",RESOLUTION=1280x720,URI="720p/iframes.m3u8"',
  );
});

test('a video without audio has no audio group', () => {
  expect(masterPlaylist([LARGE])).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=3000001,AVERAGE-BANDWIDTH=2000000,CODECS="avc1.64001f",RESOLUTION=1280x720,FRAME-RATE=29.970
720p/index.m3u8
`);
});

test('audio alone is one plain variant', () => {
  expect(masterPlaylist([SOUND].map(inRun))).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-INDEPENDENT-SEGMENTS
#EXT-X-STREAM-INF:BANDWIDTH=131000,AVERAGE-BANDWIDTH=129000,CODECS="mp4a.40.2"
r1/audio/index.m3u8
`);
});

const TRACKS = [
  { ...SOUND, track: 1, language: 'de', label: 'Deutsch', isDescription: false },
  { ...SOUND, track: 2, language: 'en', label: 'The "true" voice', isDescription: false, peakBandwidthBps: 140_000 },
  { ...SOUND, track: 3, language: 'de', label: 'Deutsch (audio description)', isDescription: true },
  { ...SOUND, track: 4, language: 'de', label: 'Deutsch (commentary)', isDescription: false },
].map((rendition) => ({ ...rendition, playlistPath: `audio-${rendition.track}/index.m3u8` }));

test('several tracks differ in name, language and purpose, and the largest counts in the bandwidth', () => {
  const lines = masterPlaylist([SMALL, ...TRACKS.toReversed()]).split('\n');
  expect(lines.filter((line) => line.startsWith('#EXT-X-MEDIA'))).toEqual([
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Deutsch",LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="audio-1/index.m3u8"',
    `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="The 'true' voice",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="2",URI="audio-2/index.m3u8"`,
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Deutsch (audio description)",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,CHARACTERISTICS="public.accessibility.describes-video",CHANNELS="2",URI="audio-3/index.m3u8"',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Deutsch (commentary)",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=NO,CHANNELS="2",URI="audio-4/index.m3u8"',
  ]);
  const variants = lines.filter((line) => line.startsWith('#EXT-X-STREAM-INF'));
  expect(variants.map((line) => /:BANDWIDTH=(\d+)/.exec(line)?.[1])).toEqual(['1140000', '140000']);
});

test('several tracks without a picture are one variant with a group', () => {
  const lines = masterPlaylist(TRACKS).split('\n');
  expect(lines.filter((line) => line.startsWith('#EXT-X-MEDIA'))).toHaveLength(4);
  expect(lines.slice(-3)).toEqual([
    '#EXT-X-STREAM-INF:BANDWIDTH=140000,AVERAGE-BANDWIDTH=129000,CODECS="mp4a.40.2",AUDIO="audio"',
    'audio-1/index.m3u8',
    '',
  ]);
});

function inRun<Rendition extends { playlistPath: string }>(rendition: Rendition): Rendition {
  return { ...rendition, playlistPath: `r1/${rendition.playlistPath}` };
}
