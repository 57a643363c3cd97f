import { quoted, tagsNamed } from './playlist.js';
import { tracksOf } from './segments.js';
import {
  averageBitrate,
  codecsOf,
  each,
  videos,
  frameSeconds,
  isH264,
  lengthOf,
  measured,
  numberIn,
  offBy,
  only,
  peakBitrate,
  pictures,
  rule,
  seconds,
  targetOf,
  type Rule,
} from './rule.js';
import type { Variant } from './stream.js';

/** HLS Authoring Specification for Apple devices: the general rules for video on demand. */
export const APPLE_RULES: readonly Rule[] = [
  rule('Apple 1.1', 'MUST', 'pictures are H.264 or HEVC', (stream) =>
    each(stream.variants, (v) => v.attributes.has('RESOLUTION') && !codecsOf(v).some(isH264) && v.uri),
  ),
  rule('Apple 1.3', 'MUST', 'H.264 is at most High, level 5.2', (stream) =>
    each(stream.variants, (variant) => {
      const [, profile = '', level = ''] =
        /avc1\.([0-9a-f]{2})[0-9a-f]{2}([0-9a-f]{2})/i.exec(codecsOf(variant).join()) ?? [];
      return (
        profile !== '' &&
        (!['42', '4d', '64'].includes(profile.toLowerCase()) || Number.parseInt(level, 16) > 52) &&
        variant.uri
      );
    }),
  ),
  rule('Apple 1.26', 'MUST', 'AVERAGE-BANDWIDTH is within 10 % of the measured average', (stream) =>
    each(stream.variants, (v) => {
      const real = measured(stream, v, averageBitrate);
      return offBy(numberIn(v, 'AVERAGE-BANDWIDTH'), real) > 0.1 && `${v.uri}: ${real} b/s`;
    }),
  ),
  rule('Apple 1.27', 'MUST', 'BANDWIDTH is within 10 % of the measured peak', (stream) =>
    each(stream.variants, (v) => {
      const real = measured(stream, v, peakBitrate);
      return offBy(numberIn(v, 'BANDWIDTH'), real) > 0.1 && `${v.uri}: ${real} b/s`;
    }),
  ),
  rule('Apple 1.33', 'SHOULD', 'all pictures have the same aspect ratio', (stream) => {
    const sizes = stream.variants
      .map((v) => v.attributes.get('RESOLUTION')?.split('x').map(Number))
      .filter((s) => s !== undefined);
    // Sides are even: a height of 54 lines is off by a pixel in fifty.
    const off = sizes.some(([w = 1, h = 1]) =>
      sizes.some(([x = 1, y = 1]) => Math.abs(w - (x * h) / y) > 2 + (2 * w) / Math.min(h, y)),
    );
    return off ? [sizes.join(' ')] : [];
  }),
  rule('Apple 2.3', 'MUST', 'a stream with sound has stereo sound in AAC', (stream) =>
    each(stream.variants, (v) => codecsOf(v).some((codec) => !isH264(codec) && codec !== 'mp4a.40.2') && v.uri),
  ),
  rule('Apple 2.17', 'MUST', 'no segment has more than one audio track', (stream) =>
    each(videos(stream), ({ init, uri }) => init !== null && tracksOf(init) > 1 && uri),
  ),
  rule('Apple 4.7', 'MUST', 'subtitles have a LANGUAGE', (stream) =>
    each(
      stream.renditions,
      (r) => r.get('TYPE') === 'SUBTITLES' && !quoted(r.get('LANGUAGE')) && String(r.get('NAME')),
    ),
  ),
  rule('Apple 5.5', 'MUST', 'subtitles last as long as the video', (stream) => {
    const length = Math.max(...videos(stream).map(lengthOf));
    return each(stream.media, (media) => {
      if (media.kind !== 'subtitles') return false;
      const sum = media.listed.reduce((total, { durationSeconds }) => total + durationSeconds, 0);
      return Math.abs(sum - length) > 1 && `${media.uri}: ${sum} of ${length} s`;
    });
  }),
  rule('Apple 6.1', 'MUST', 'unencrypted pictures have an I-frame playlist', (stream) =>
    each(pictures(stream), ({ uri, ...media }) => {
      const folder = uri.slice(0, uri.lastIndexOf('/'));
      const isListed = stream.keyFrames.some((keyFrames) => keyFrames.uri.startsWith(`${folder}/`));
      return tagsNamed(media, 'EXT-X-KEY').length === 0 && !isListed && uri;
    }),
  ),
  rule(
    'Apple 6.2',
    'SHOULD',
    'a video of some seconds has an I-frame playlist with a picture every second',
    (stream) => {
      const length = Math.max(0, ...pictures(stream).map(lengthOf));
      const isDense = stream.keyFrames.some(({ segments }) =>
        segments.every(({ durationSeconds }) => durationSeconds <= 1),
      );
      return length >= 5 && !isDense ? [`${length} s`] : [];
    },
  ),
  rule(
    'Apple 7.1',
    'MUST',
    'media continues from segment to segment: no gap and no overlap, at the microsecond',
    (stream) =>
      each(videos(stream), (media) => {
        const at = media.segments.findIndex(({ times }, index) => {
          const before = media.segments[index - 1]?.times;
          return before && before.decodeStart + before.duration !== times.decodeStart;
        });
        return at > 0 && `${media.uri}: before ${media.segments[at]!.uri}`;
      }),
  ),
  rule('Apple 7.4', 'MUST', 'every segment of pictures starts with an IDR', (stream) =>
    each(pictures(stream), ({ segments, uri }) => segments.some(({ times }) => !times.startsWithSync) && uri),
  ),
  rule('Apple 7.7', 'MUST', 'no segment is more than half a second over the target', (stream) =>
    each(videos(stream), (media) => {
      const long = media.segments.find(({ times }) => seconds(media, times.duration) > targetOf(media) + 0.5);
      return long && `${media.uri}: ${long.uri}`;
    }),
  ),
  rule('Apple 8.1', 'MUST', 'the EXTINFs of consecutive segments add up to their length within a frame', (stream) =>
    each(videos(stream), (media) => {
      const errors = media.segments.map(
        ({ durationSeconds, times }) => durationSeconds - seconds(media, times.duration),
      );
      let [sum, low, high] = [0, 0, 0];
      for (const error of errors) {
        sum += error;
        low = Math.min(low, sum);
        high = Math.max(high, sum);
      }
      const frame = media.kind === 'audio' ? 1024 / media.ticksPerSecond : frameSeconds(stream);
      return high - low > frame && `${media.uri}: off by ${high - low} s`;
    }),
  ),
  rule('Apple 8.2', 'MUST', 'sound and pictures have the same target duration', (stream) => {
    const targets = new Set(videos(stream).map(targetOf));
    return targets.size > 1
      ? [
          videos(stream)
            .map((media) => `${media.uri} ${targetOf(media)}`)
            .join(', '),
        ]
      : [];
  }),
  rule('Apple 8.6', 'MUST', 'EXT-X-PLAYLIST-TYPE is VOD', (stream) =>
    each(stream.media, (media) => only(media, 'EXT-X-PLAYLIST-TYPE') !== 'VOD' && media.uri),
  ),
  rule('Apple 8.9', 'MUST', 'separate sound is declared by EXT-X-MEDIA', (stream) =>
    each(
      stream.variants,
      (v) => v.attributes.has('RESOLUTION') && codecsOf(v).length > 1 && !v.attributes.has('AUDIO') && v.uri,
    ),
  ),
  rule('Apple 8.10', 'MUST', 'every EXT-X-MEDIA has a LANGUAGE', (stream) =>
    each(stream.renditions, (r) => !quoted(r.get('LANGUAGE')) && String(r.get('NAME'))),
  ),
  rule('Apple 8.20', 'MUST', 'fMP4 has EXT-X-MAP', (stream) =>
    each(videos(stream), (media) => tagsNamed(media, 'EXT-X-MAP').length === 0 && media.uri),
  ),
  rule('Apple 8.22', 'SHOULD', 'pictures of all sizes have the same segment boundaries', (stream) => {
    const boundaries = pictures(stream).map((media) =>
      media.segments.map(({ times }) => (times.decodeStart / media.ticksPerSecond).toFixed(3)).join(' '),
    );
    return new Set(boundaries).size > 1 ? boundaries : [];
  }),
  rule('Apple 9.1', 'MUST', 'every EXT-X-STREAM-INF has CODECS', (stream) =>
    each(stream.variants, (variant) => codecsOf(variant).length === 0 && variant.uri),
  ),
  rule('Apple 9.2', 'MUST', 'every variant with a picture has a RESOLUTION', (stream) =>
    each(
      stream.variants,
      (v) => codecsOf(v).some(isH264) && !/^\d+x\d+$/.test(v.attributes.get('RESOLUTION') ?? '') && v.uri,
    ),
  ),
  rule('Apple 9.5', 'SHOULD', 'sound and pictures are separate', (stream) =>
    each(videos(stream), ({ init, uri }) => init !== null && tracksOf(init) > 1 && uri),
  ),
  rule('Apple 9.11', 'SHOULD', 'the multivariant playlist has EXT-X-INDEPENDENT-SEGMENTS', ({ master }) =>
    tagsNamed(master, 'EXT-X-INDEPENDENT-SEGMENTS').length === 1 ? [] : ['it is missing'],
  ),
  rule('Apple 9.13', 'MUST', 'BANDWIDTH includes the audio track with the highest bitrate', (stream) =>
    each(stream.variants, (v) => numberIn(v, 'BANDWIDTH') < Math.floor(measured(stream, v, peakBitrate)) && v.uri),
  ),
  rule('Apple 9.14', 'MUST', 'every variant has an AVERAGE-BANDWIDTH', (stream) =>
    each(stream.variants, (v) => !/^\d+$/.test(v.attributes.get('AVERAGE-BANDWIDTH') ?? '') && v.uri),
  ),
  rule('Apple 9.15', 'MUST', 'every variant with a picture has a FRAME-RATE', (stream) =>
    each(stream.variants, (v) => v.attributes.has('RESOLUTION') && !(numberIn(v, 'FRAME-RATE') > 0) && v.uri),
  ),
  rule('Apple 1.32', 'SHOULD', 'the variant nearest to 730 kb/s on average comes first', (stream) => {
    const shown = stream.variants.filter(({ attributes }) => attributes.has('RESOLUTION'));
    const off = (v: Variant): number => Math.abs(numberIn(v, 'AVERAGE-BANDWIDTH') - 730_000);
    const [first] = stream.variants;
    return first && shown.some((v) => off(v) < off(first)) ? [`${first.uri} is first`] : [];
  }),
  rule('Apple 8.3', 'MUST', 'sound and pictures cover the same time', (stream) => {
    const lengths = videos(stream).map(lengthOf);
    // Audio comes in frames of 1024 samples, so that it may end up to one frame earlier or later.
    const slack = frameSeconds(stream) + 0.05;
    return Math.max(...lengths) - Math.min(...lengths) > slack
      ? [lengths.map((length) => length.toFixed(3)).join(', ')]
      : [];
  }),
];
