import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { asHlsSegment } from '../../../src/domain/media/captions/writeVtt.js';
import { encryptedPlaylist } from '../../../src/domain/media/keys/encryptedPlaylist.js';
import { RunKeys } from '../../../src/domain/media/keys/mediaKeys.service.js';
import { segmentCipher } from '../../../src/domain/media/keys/segmentCipher.js';
import { masterPlaylist, type MasterTrickPlay } from '../../../src/domain/media/library/masterPlaylist.js';
import type { EncodedRendition } from '../../../src/ports/transcoder.js';
import { makeClip } from '../../support/media.js';
import { tinyLadder } from '../transcoder/hls.js';
import { faultsOf, RULES } from '../../support/corpus/playlistRules.js';
import { readStream, type Fetch, type Open } from '../../support/corpus/stream.js';

let folder: string;
let fetch: Fetch;
/** The same video, encrypted. */
let fetchSealed: Fetch;
/** Opens its segments whatever their playlists say, so that faulty playlists are read completely. */
let open: Open;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dhara-rules-'));
  const sourcePath = await makeClip(folder, { durationSeconds: 9 });
  const transcoder = await createFfmpegTranscoder({ preset: 'ultrafast' });
  const probe = await transcoder.probe(sourcePath);
  const outputDir = join(folder, 'out');
  const { renditions, storyboard } = await transcoder.encode({
    sourcePath,
    probe,
    renditions: tinyLadder(probe),
    keyFrames: true,
    outputDir,
  });
  const { playlistPath, peakBandwidthBps, averageBandwidthBps, ...track } = storyboard!.trickPlay!;
  const seeking = { ...track, uri: playlistPath, bitrate: peakBandwidthBps, averageBitrate: averageBandwidthBps };
  const subtitles = '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:9,\na.vtt\n#EXT-X-ENDLIST\n';
  const texts = new Map([
    ['master.m3u8', masterPlaylist(renditions, [{ language: 'en', label: 'English', uri: 'captions.m3u8' }], seeking)],
    ['captions.m3u8', subtitles],
    ['a.vtt', asHlsSegment('WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nHello\n')],
  ]);
  fetch = async (uri) => {
    const text = texts.get(uri);
    return text === undefined ? readFile(join(outputDir, uri)) : Buffer.from(text);
  };
  await seal(renditions, seeking);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function seal(renditions: readonly EncodedRendition[], seeking: MasterTrickPlay): Promise<void> {
  const keys = new RunKeys([Buffer.alloc(16, 1)], 100);
  const sealed = new Map<string, Buffer>();
  const clear = new Map<string, Buffer>();
  const nameOf = (bytes: Buffer): string => bytes.toString('hex', 0, 32);
  for (const { playlistPath, segmentPaths } of renditions) {
    const seals = segmentPaths.map((_, index) => keys.sealOf(index));
    sealed.set(playlistPath, Buffer.from(encryptedPlaylist((await fetch(playlistPath)).toString(), seals)));
    for (const [index, path] of segmentPaths.entries()) {
      const bytes = await fetch(path);
      const cipher = segmentCipher(seals[index]!);
      const closed = Buffer.concat([cipher.update(bytes), cipher.final()]);
      sealed.set(path, closed);
      clear.set(nameOf(closed), bytes);
    }
  }
  // Encryption adds up to 16 bytes to each segment, which matters if pictures are tiny.
  const grown = renditions.map((rendition) => ({
    ...rendition,
    peakBandwidthBps: rendition.peakBandwidthBps * 1.02,
    averageBandwidthBps: rendition.averageBandwidthBps * 1.02,
  }));
  // A range of an encrypted segment cannot be decrypted, so only the small pictures, which are clear, can be listed.
  sealed.set(
    'master.m3u8',
    Buffer.from(masterPlaylist(grown, [], seeking).replaceAll(/#EXT-X-I-FRAME-STREAM-INF.*p\/iframes.*\n/g, '')),
  );
  fetchSealed = async (uri) => sealed.get(uri) ?? fetch(uri);
  open = async (bytes) => clear.get(nameOf(bytes))!;
}

/** A stream in which one text of one file is replaced. */
function altered(uri: string, from: string | RegExp, to: string, original = fetch): Fetch {
  return async (asked) => {
    const bytes = await original(asked);
    if (asked !== uri) return bytes;
    const text = bytes.toString('latin1');
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`there is no ${String(from)} in ${uri}`);
    return Buffer.from(changed, 'latin1');
  };
}

test('our own ladders obey all rules', async () => {
  expect(faultsOf(await readStream(fetch))).toEqual([]);
});

test('our own encrypted ladders obey all rules', async () => {
  const stream = await readStream(fetchSealed, open);
  expect(stream.media.flatMap(({ segments }) => segments.map(({ key }) => key?.get('METHOD')))).not.toContain(
    undefined,
  );
  expect(faultsOf(stream)).toEqual([]);
});

const VIDEO = '720p/index.m3u8';
const KEY_FRAMES = '720p/iframes.m3u8';
const SEEKING = 'storyboard/iframes.m3u8';
const BREAKS: [rule: string, file: string, from: string | RegExp, to: string][] = [
  ['RFC 3.1.4', 'a.vtt', 'WEBVTT', 'WEBVTTX'],
  ['RFC 3.1.4', 'a.vtt', /X-TIMESTAMP-MAP=.*\n/, ''],
  ['RFC 3.1.4', 'a.vtt', /00:00:0(\d)/g, '00:01:0$1'],
  ['RFC 3.1.4', 'a.vtt', '00:00:02.500', '00:00:00.500'],
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
  ['Apple 6.2', SEEKING, '#EXTINF:1.0', '#EXTINF:1.5'],
  ['RFC 4.4.3.6', SEEKING, /BYTERANGE:\d+/, 'BYTERANGE:9'],
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

const SEGMENT = '720p/seg_00001.m4s';
const METHOD = 'RFC 4.4.4.4 (EXT-X-KEY has a known METHOD, and NONE has no other attribute)';
const URI = 'RFC 4.4.4.4 (a key has a URI)';
const VECTOR = 'RFC 4.4.4.4 (an IV has 128 bits, in uppercase hexadecimal digits)';
const FORMAT = 'RFC 4.4.4.4 (KEYFORMAT and its versions are quoted; versions are numbers between slashes)';
const ORDER = 'RFC 4.4.4.4 (a clear init segment comes before the key, which applies to what follows it)';
const WHOLE = 'RFC 6.2.3 (a segment with an AES-128 key is encrypted as a whole, in blocks of 16 bytes)';
const KEY_BREAKS: [rule: string, file: string, from: string | RegExp, to: string][] = [
  [METHOD, VIDEO, 'METHOD=AES-128,', ''],
  [METHOD, VIDEO, 'METHOD=AES-128', 'METHOD=AES-256'],
  [METHOD, VIDEO, 'METHOD=AES-128', 'METHOD=NONE'],
  [URI, VIDEO, /URI="\.\.\/key[^"]*",/, ''],
  [URI, VIDEO, /URI="(\.\.\/key[^"]*)"/, 'URI=$1'],
  [VECTOR, VIDEO, /IV=0x\w/, 'IV=0x'],
  [VECTOR, VIDEO, /IV=0x/, 'IV=0x00'],
  [VECTOR, VIDEO, /IV=0x/, 'IV='],
  [VECTOR, VIDEO, /IV=0x\w{4}/, 'IV=0xbeef'],
  [VECTOR, VIDEO, /IV=(\w+)/, 'IV="$1"'],
  [FORMAT, VIDEO, /IV=/, 'KEYFORMAT=identity,IV='],
  [FORMAT, VIDEO, /IV=/, 'KEYFORMATVERSIONS="1/0.5",IV='],
  [ORDER, VIDEO, /(#EXT-X-MAP.*\n)(#EXT-X-KEY.*\n)/, '$2$1'],
  [WHOLE, SEGMENT, /$/, '\u0000'],
];

describe('a fault is found', () => {
  test.each(BREAKS)('that breaks %s: %s with %s replaced by %s', async (id, file, from, to) => {
    const faults = faultsOf(await readStream(altered(file, from, to)));
    expect(faults.map((fault) => fault.slice(0, fault.indexOf(' (')))).toContain(id);
  });

  test.each(KEY_BREAKS)('that breaks only %s: %s with %s replaced by %s', async (says, file, from, to) => {
    const faults = faultsOf(await readStream(altered(file, from, to, fetchSealed), open));
    expect(faults).toEqual([expect.stringContaining(`${says}: `)]);
  });

  test('most rules have a test that breaks them', () => {
    const shown = new Set([...BREAKS, ...KEY_BREAKS].map(([says]) => says.split(' (')[0]));
    const others = RULES.map(({ id }) => id).filter((id) => !shown.has(id));
    // Breaking these rules takes other segments, not only another text.
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
