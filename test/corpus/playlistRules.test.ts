import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createFfmpegTranscoder } from '../../src/adapters/transcode/ffmpegTranscoder.js';
import { masterPlaylist } from '../../src/domain/processing/masterPlaylist.js';
import { makeClip } from '../setup/media.js';
import { tinyLadder } from '../ports/transcoder/hls.js';
import { faultsOf, RULES } from './playlistRules.js';
import { readStream, type Fetch } from './stream.js';

let folder: string;
let fetch: Fetch;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dhara-rules-'));
  const sourcePath = await makeClip(folder, { durationSeconds: 9 });
  const transcoder = await createFfmpegTranscoder({ preset: 'ultrafast' });
  const probe = await transcoder.probe(sourcePath);
  const outputDir = join(folder, 'out');
  const { rungs } = await transcoder.encode({
    sourcePath,
    probe,
    rungs: tinyLadder(probe),
    keyFrames: true,
    outputDir,
  });
  const subtitles = '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:9,\na.vtt\n#EXT-X-ENDLIST\n';
  const texts = new Map([
    ['master.m3u8', masterPlaylist(rungs, [{ language: 'en', label: 'English', uri: 'captions.m3u8' }])],
    ['captions.m3u8', subtitles],
  ]);
  fetch = async (uri) => {
    const text = texts.get(uri);
    return text === undefined ? readFile(join(outputDir, uri)) : Buffer.from(text);
  };
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The stream, with one text replaced in one of its files. */
function altered(uri: string, from: string | RegExp, to: string): Fetch {
  return async (asked) => {
    const bytes = await fetch(asked);
    if (asked !== uri) return bytes;
    const text = bytes.toString('latin1');
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`there is no ${String(from)} in ${uri}`);
    return Buffer.from(changed, 'latin1');
  };
}

test('a ladder of ours obeys all of them', async () => {
  expect(faultsOf(await readStream(fetch))).toEqual([]);
});

const VIDEO = '720p/index.m3u8';
const KEY_FRAMES = '720p/iframes.m3u8';
const BREAKS: [rule: string, file: string, from: string | RegExp, to: string][] = [
  ['RFC 4.1', VIDEO, '#EXT-X-ENDLIST', '#EXT-X-ENDLIST\u0007'],
  ['RFC 4.1', 'master.m3u8', '#EXTM3U', '#EXTM3U\n#EXT-X-TARGETDURATION:4'],
  ['RFC 4.4.1.1', VIDEO, '#EXTM3U\n', '\n#EXTM3U\n'],
  ['RFC 4.4.1.2', VIDEO, '#EXTM3U', '#EXTM3U\n#EXT-X-VERSION:7'],
  ['RFC 7', VIDEO, /VERSION:7/, 'VERSION:4'],
  ['RFC 4.4.3.1', VIDEO, /TARGETDURATION:4/, 'TARGETDURATION:3'],
  ['RFC 4.4.3.2', VIDEO, '#EXT-X-ENDLIST', '#EXT-X-MEDIA-SEQUENCE:9\n#EXT-X-ENDLIST'],
  ['RFC 4.4.3.4', VIDEO, '#EXT-X-ENDLIST', ''],
  ['RFC 4.4.3.6', KEY_FRAMES, '#EXT-X-I-FRAMES-ONLY\n', ''],
  ['RFC 4.4.3.6', KEY_FRAMES, /@\d+/, '@0'],
  ['RFC 4.4.4.1', VIDEO, /#EXTINF:4\.0+,/, '#EXTINF:0,'],
  ['RFC 4.4.6.1', 'master.m3u8', /NAME="[^"]*",/, ''],
  ['RFC 4.4.6.1.1', 'master.m3u8', /(#EXT-X-MEDIA:TYPE=AUDIO.*\n)/, '$1$1'],
  ['RFC 4.4.6.2', 'master.m3u8', /:BANDWIDTH=\d+/, ':BANDWIDTH=1000'],
  ['RFC 4.4.6.2', 'master.m3u8', /,AUDIO="audio"/, ',AUDIO="none"'],
  ['RFC 4.4.6.2.1', 'master.m3u8', /,AUDIO="audio"/, ''],
  ['RFC 4.4.6.3', 'master.m3u8', /I-FRAME-STREAM-INF:BANDWIDTH=\d/, 'I-FRAME-STREAM-INF:BANDWIDTH=0'],
  ['RFC 6.2.4', VIDEO, /TARGETDURATION:4/, 'TARGETDURATION:5'],
  ['Apple 1.1', 'master.m3u8', /avc1\.\w+/, 'vp09.00'],
  ['Apple 1.3', 'master.m3u8', /avc1\.\w+/, 'avc1.6e0033'],
  ['Apple 1.26', 'master.m3u8', /AVERAGE-BANDWIDTH=\d+/, 'AVERAGE-BANDWIDTH=90000000'],
  ['Apple 1.27', 'master.m3u8', /:BANDWIDTH=\d+/, ':BANDWIDTH=90000000'],
  ['Apple 1.32', 'master.m3u8', /AVERAGE-BANDWIDTH=\d+/, 'AVERAGE-BANDWIDTH=1'],
  ['Apple 1.33', 'master.m3u8', /RESOLUTION=\d+x/, 'RESOLUTION=64x'],
  ['Apple 2.3', 'master.m3u8', /mp4a\.40\.2/, 'mp4a.40.5'],
  ['Apple 4.7', 'master.m3u8', /LANGUAGE="en",/, ''],
  ['Apple 5.5', 'captions.m3u8', '#EXTINF:9', '#EXTINF:5'],
  ['Apple 6.1', 'master.m3u8', /#EXT-X-I-FRAME-STREAM-INF.*\n/, ''],
  ['Apple 7.1', '720p/seg_00001.m4s', /tfdt(.{11})./s, 'tfdt$1\u0001'],
  ['Apple 8.1', VIDEO, /#EXTINF:4\.0+,/, '#EXTINF:4.1,'],
  ['Apple 8.2', 'audio/index.m3u8', /TARGETDURATION:4/, 'TARGETDURATION:5'],
  ['Apple 8.6', VIDEO, '#EXT-X-PLAYLIST-TYPE:VOD\n', ''],
  ['Apple 8.22', '720p/seg_00001.m4s', /tfdt(.{10})./s, 'tfdt$1\u0007'],
  ['Apple 9.1', 'master.m3u8', /,CODECS="[^"]*"/, ''],
  ['Apple 9.2', 'master.m3u8', /,RESOLUTION=\d+x\d+/, ''],
  ['Apple 9.11', 'master.m3u8', '#EXT-X-INDEPENDENT-SEGMENTS\n', ''],
  ['Apple 9.14', 'master.m3u8', /,AVERAGE-BANDWIDTH=\d+/, ''],
  ['Apple 9.15', 'master.m3u8', /,FRAME-RATE=[\d.]+/, ''],
];

describe('a fault is found', () => {
  test.each(BREAKS)('%s: %s with %s as %s', async (id, file, from, to) => {
    const faults = faultsOf(await readStream(altered(file, from, to)));
    expect(faults.map((fault) => fault.slice(0, fault.indexOf(' (')))).toContain(id);
  });

  test('for most of the rules, this is shown', () => {
    const shown = new Set(BREAKS.map(([id]) => id));
    const others = RULES.map(({ id }) => id).filter((id) => !shown.has(id));
    // These need other segments than one can make by replacing a text.
    expect(new Set(others)).toEqual(
      new Set([
        'RFC 4.4.4.5',
        'RFC 3.1.2',
        'Apple 2.17',
        'Apple 7.4',
        'Apple 7.7',
        'Apple 8.3',
        'Apple 8.9',
        'Apple 8.10',
        'Apple 8.20',
        'Apple 9.5',
        'Apple 9.13',
      ]),
    );
  });
});
