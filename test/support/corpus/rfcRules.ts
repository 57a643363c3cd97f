import { parseVtt } from '../../../src/player/vtt.js';
import { attributesOf, quoted, tagsNamed } from './playlist.js';
import { isCutOff, tracksOf } from './segments.js';
import {
  averageBitrate,
  each,
  videos,
  frameSeconds,
  measured,
  numberIn,
  only,
  peakBitrate,
  pictures,
  playlists,
  rule,
  seconds,
  targetOf,
  type Rule,
} from './rule.js';
import type { Stream } from './stream.js';

type Attributes = ReadonlyMap<string, string>;

const METHODS = ['NONE', 'AES-128', 'SAMPLE-AES', 'SAMPLE-AES-CTR'];
const encrypts = (key: Attributes): boolean => key.get('METHOD') !== 'NONE';
const badKeys = (stream: Stream, isBad: (key: Attributes) => boolean): string[] =>
  each(videos(stream), (media) => tagsNamed(media, 'EXT-X-KEY').map(attributesOf).some(isBad) && media.uri);

/** @param isBad gets the start and end of the segment, in seconds */
const badCaptions = (stream: Stream, isBad: (text: string, period: readonly [number, number]) => boolean): string[] =>
  stream.media.flatMap(({ uri, listed, texts }) => {
    let end = 0;
    return each(texts.entries(), ([index, text]) => {
      const from = end;
      end += listed[index]!.durationSeconds;
      return isBad(text, [from, end]) && `${uri}: ${listed[index]!.uri}`;
    });
  });

/** draft-pantos-hls-rfc8216bis */
export const RFC_RULES: readonly Rule[] = [
  rule('RFC 3.1.4', 'MUST', 'a segment of subtitles is a WebVTT file', (stream) =>
    badCaptions(stream, (text) => !/^WEBVTT[ \t\n]/.test(text)),
  ),
  rule('RFC 3.1.4', 'SHOULD', 'the header of a segment of subtitles maps its clock to the video', (stream) =>
    badCaptions(stream, (text) => !/^X-TIMESTAMP-MAP=/m.test(text.split('\n\n')[0]!)),
  ),
  rule('RFC 3.1.4', 'MUST', 'a segment of subtitles has the cues that are shown while it lasts', (stream) =>
    badCaptions(stream, (text, [from, to]) => {
      const shown = parseVtt(text).filter(({ startSeconds, endSeconds }) => startSeconds < to && endSeconds > from);
      // `parseVtt` skips whatever is not a cue; here it counts.
      return shown.length !== text.split('-->').length - 1;
    }),
  ),
  rule('RFC 4.1', 'MUST', 'playlists are UTF-8 without a byte order mark or control characters', (stream) =>
    each(playlists(stream), ({ text, uri }) => /[\uFEFF\uFFFD]|(?![\r\n\t])\p{Cc}/u.test(text) && uri),
  ),
  rule(
    'RFC 4.1',
    'MUST',
    'a line is empty, a URI, or begins with #; a playlist does not mix the two kinds',
    (stream) => [
      ...each(
        playlists(stream),
        ({ text, uri }) => /^[ \t]|^[^#\n]*[ \t]/m.test(text) && `${uri}: white space in a URI`,
      ),
      ...each(
        stream.master.tags,
        ({ name }) => ['EXTINF', 'EXT-X-TARGETDURATION', 'EXT-X-MAP', 'EXT-X-KEY'].includes(name) && name,
      ),
      ...each(stream.media, (media) => media.tags.some(({ name }) => name === 'EXT-X-STREAM-INF') && media.uri),
    ],
  ),
  rule('RFC 4.4.1.1', 'MUST', 'EXTM3U is the first line', (stream) =>
    each(playlists(stream), ({ tags, uri }) => (tags[0]?.line !== 0 || tags[0].name !== 'EXTM3U') && uri),
  ),
  rule('RFC 4.4.1.2', 'MUST', 'a playlist has at most one EXT-X-VERSION', (stream) =>
    each(playlists(stream), (playlist) => tagsNamed(playlist, 'EXT-X-VERSION').length > 1 && playlist.uri),
  ),
  rule(
    'RFC 7',
    'MUST',
    'the version supports what the playlist uses: 6 for EXT-X-MAP with fMP4, 3 for exact EXTINF',
    (stream) => each(videos(stream), (media) => Number(only(media, 'EXT-X-VERSION') ?? 1) < 6 && media.uri),
  ),
  rule(
    'RFC 4.4.3.1',
    'MUST',
    'EXT-X-TARGETDURATION is one whole number, and no rounded EXTINF exceeds it',
    (stream) => [
      ...each(stream.media, (media) => !/^\d+$/.test(only(media, 'EXT-X-TARGETDURATION') ?? '') && media.uri),
      ...each(stream.media, (media) => {
        const long = media.listed.find(({ durationSeconds }) => Math.round(durationSeconds) > targetOf(media));
        return long && `${media.uri}: ${long.uri} has ${long.durationSeconds} s`;
      }),
    ],
  ),
  rule('RFC 4.4.3.2', 'MUST', 'EXT-X-MEDIA-SEQUENCE, if given, comes before the first segment', (stream) =>
    each(stream.media, (media) => {
      const late = tagsNamed(media, 'EXT-X-MEDIA-SEQUENCE').some(({ line }) => line > (media.uris[0]?.line ?? 0));
      return late && media.uri;
    }),
  ),
  rule('RFC 4.4.3.4', 'MUST', 'a complete playlist ends with one EXT-X-ENDLIST', (stream) =>
    each(stream.media, (media) => tagsNamed(media, 'EXT-X-ENDLIST').length !== 1 && media.uri),
  ),
  rule('RFC 4.4.4.1', 'MUST', 'every segment has an EXTINF of more than zero seconds', (stream) =>
    each(stream.media, (media) => media.listed.some(({ durationSeconds }) => !(durationSeconds > 0)) && media.uri),
  ),
  rule('RFC 4.4.4.4', 'MUST', 'EXT-X-KEY has a known METHOD, and NONE has no other attribute', (stream) =>
    badKeys(stream, (key) => !METHODS.includes(key.get('METHOD') ?? '') || (!encrypts(key) && key.size > 1)),
  ),
  rule('RFC 4.4.4.4', 'MUST', 'a key has a URI', (stream) =>
    badKeys(stream, (key) => encrypts(key) && !quoted(key.get('URI'))),
  ),
  rule('RFC 4.4.4.4', 'MUST', 'an IV has 128 bits, in uppercase hexadecimal digits', (stream) =>
    badKeys(stream, (key) => !/^0[xX][0-9A-F]{32}$/.test(key.get('IV') ?? `0x${'0'.repeat(32)}`)),
  ),
  rule('RFC 4.4.4.4', 'MUST', 'KEYFORMAT and its versions are quoted; versions are numbers between slashes', (stream) =>
    badKeys(
      stream,
      (key) =>
        !/^"[^"]+"$/.test(key.get('KEYFORMAT') ?? '"identity"') ||
        !/^"[1-9]\d*(\/[1-9]\d*)*"$/.test(key.get('KEYFORMATVERSIONS') ?? '"1"'),
    ),
  ),
  rule('RFC 4.4.4.4', 'MUST', 'a clear init segment comes before the key, which applies to what follows it', (stream) =>
    each(videos(stream), (media) => {
      const [map] = tagsNamed(media, 'EXT-X-MAP');
      const first = tagsNamed(media, 'EXT-X-KEY').find((tag) => encrypts(attributesOf(tag)));
      // An init segment that could be read is stored in the clear.
      return map && first && media.init !== null && first.line < map.line && media.uri;
    }),
  ),
  rule('RFC 6.2.3', 'MUST', 'a segment with an AES-128 key is encrypted as a whole, in blocks of 16 bytes', (stream) =>
    each(videos(stream), (media) => {
      const odd = media.segments.find(({ key, sizeBytes }) => key?.get('METHOD') === 'AES-128' && sizeBytes % 16 > 0);
      return odd && `${media.uri}: ${odd.uri}`;
    }),
  ),
  rule('RFC 4.4.4.5', 'MUST', 'EXT-X-MAP comes before the first fMP4 segment, and names its URI', (stream) =>
    each(videos(stream), (media) => {
      const [map] = tagsNamed(media, 'EXT-X-MAP');
      return (!map || map.line > (media.uris[0]?.line ?? 0) || media.init === null) && media.uri;
    }),
  ),
  rule('RFC 4.4.6.1', 'MUST', 'EXT-X-MEDIA has TYPE, GROUP-ID and NAME; FORCED only with subtitles', (stream) =>
    each(stream.renditions, (rendition) => {
      const name = rendition.get('NAME');
      const whole = rendition.has('TYPE') && quoted(rendition.get('GROUP-ID')) && quoted(name);
      return (!whole || (rendition.has('FORCED') && rendition.get('TYPE') !== 'SUBTITLES')) && String(name);
    }),
  ),
  rule('RFC 4.4.6.1', 'MUST', 'subtitles have a URI; DEFAULT=YES goes with AUTOSELECT=YES', (stream) =>
    each(stream.renditions, (rendition) => {
      const noUri = rendition.get('TYPE') === 'SUBTITLES' && !rendition.has('URI');
      return (
        (noUri || (rendition.get('DEFAULT') === 'YES' && rendition.get('AUTOSELECT') !== 'YES')) &&
        String(rendition.get('NAME'))
      );
    }),
  ),
  rule('RFC 4.4.6.1.1', 'MUST', 'in a group, every NAME is unique, and at most one is the default', (stream) => {
    const groups = Map.groupBy(stream.renditions, (r) => `${r.get('TYPE')} ${r.get('GROUP-ID')}`);
    return each(groups, ([group, members]) => {
      const names = new Set(members.map((member) => member.get('NAME')));
      const defaults = members.filter((member) => member.get('DEFAULT') === 'YES').length;
      return (names.size < members.length || defaults > 1) && group;
    });
  }),
  rule('RFC 4.4.6.2', 'MUST', 'EXT-X-STREAM-INF has BANDWIDTH, and a URI on the next line', (stream) =>
    each(
      stream.variants,
      (variant) => (!/^\d+$/.test(variant.attributes.get('BANDWIDTH') ?? '') || variant.uri === '') && variant.uri,
    ),
  ),
  rule(
    'RFC 4.4.6.2',
    'MUST',
    'BANDWIDTH is no less than any rate that is really reached; likewise the average',
    (stream) =>
      each(stream.variants, (variant) => {
        const peak = measured(stream, variant, peakBitrate);
        const average = measured(stream, variant, averageBitrate);
        // A declared average is rounded; a declared peak must not be too low.
        const low =
          numberIn(variant, 'BANDWIDTH') < Math.floor(peak) || numberIn(variant, 'AVERAGE-BANDWIDTH') < average * 0.99;
        return low && `${variant.uri}: ${peak} and ${average} b/s`;
      }),
  ),
  rule('RFC 4.4.6.2', 'MUST', 'AUDIO and SUBTITLES name groups that exist', (stream) =>
    each(stream.variants, ({ attributes, uri }) =>
      ['AUDIO', 'SUBTITLES'].some((type) => {
        const group = attributes.get(type);
        return (
          group !== undefined && !stream.renditions.some((r) => r.get('TYPE') === type && r.get('GROUP-ID') === group)
        );
      })
        ? uri
        : false,
    ),
  ),
  rule(
    'RFC 4.4.6.2.1',
    'MUST',
    'variants of one video agree about their groups of sound, apart from sound alone',
    (stream) => {
      const groups = new Set(
        stream.variants.filter((v) => v.attributes.has('RESOLUTION')).map((v) => v.attributes.get('AUDIO')),
      );
      return groups.size > 1 ? [[...groups].join(', ')] : [];
    },
  ),
  rule(
    'RFC 4.4.3.6',
    'MUST',
    'an I-frame playlist has EXT-X-I-FRAMES-ONLY, EXT-X-MAP, and a range for each frame',
    (stream) =>
      each(stream.keyFrames, (media) => {
        const tags = ['EXT-X-I-FRAMES-ONLY', 'EXT-X-MAP'].some((name) => tagsNamed(media, name).length !== 1);
        return (
          (tags || Number(only(media, 'EXT-X-VERSION')) < 5 || !media.segments.every(({ bytes }) => isCutOff(bytes))) &&
          media.uri
        );
      }),
  ),
  rule('RFC 4.4.6.3', 'MUST', 'EXT-X-I-FRAME-STREAM-INF has a sufficient BANDWIDTH and a URI', (stream) =>
    each(stream.keyFrames, (media) => {
      const low =
        !(numberIn(media, 'BANDWIDTH') >= Math.floor(peakBitrate(media))) ||
        !(numberIn(media, 'AVERAGE-BANDWIDTH') >= Math.floor(averageBitrate(media)));
      return (low || media.uri === '') && media.uri;
    }),
  ),
  rule('RFC 3.1.2', 'MUST', 'an init segment has one track of a kind; every segment has a tfdt', (stream) =>
    each(videos(stream), ({ init, uri }) => init !== null && tracksOf(init) !== 1 && uri),
  ),
  rule('RFC 6.2.4', 'MUST', 'the same moment has the same timestamp in every variant', (stream) => {
    const starts = videos(stream).map((media) => seconds(media, media.segments[0]!.times.presentationStart));
    return Math.max(...starts) - Math.min(...starts) > frameSeconds(stream)
      ? [`first timestamps ${starts.join(', ')}`]
      : [];
  }),
  rule('RFC 6.2.4', 'MUST', 'variants have the same target duration', (stream) => {
    const targets = new Set(pictures(stream).map(targetOf));
    return targets.size > 1 ? [[...targets].join(', ')] : [];
  }),
];
