import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Parser } from 'm3u8-parser';
import { expect, test } from 'vitest';

import { CaptionService } from '../../../src/domain/media/captions/caption.service.js';
import { PublishedMedia } from '../../../src/domain/media/library/publishedMedia.js';
import { parseVtt } from '../../../src/player/vtt.js';
import { faultsOf } from '../../support/corpus/playlistRules.js';
import { ffmpeg, makeClip } from '../../support/media.js';
import { sceneOfFile } from '../../support/worker/pipeline.js';
import { readVideo } from './publishedVideo.js';
import type { Video } from './storedVideo.js';

const { pipeline, dir } = await sceneOfFile({ works: true });
const captions = new CaptionService(pipeline.db);
const published = new PublishedMedia(pipeline.db.sql, { maxAgeMs: 0 });

const SRT = '1\n00:00:01,000 --> 00:00:02,500\nHello <i>there</i>\n\n2\n00:00:03,000 --> 00:00:04,000\nBye\n';
const CHAPTERS = `;FFMETADATA1
[CHAPTER]
TIMEBASE=1/1000
START=0
END=2000
title=Beginning
[CHAPTER]
TIMEBASE=1/1000
START=2000
END=5000
title=End\\; of it <all>
`;

async function made(path: string, quality: '480p' | 'audio' = '480p') {
  const accountId = await pipeline.account(20n);
  const videoId = await pipeline.uploaded(accountId, path, { quality });
  const video = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
  return { accountId, videoId, video };
}

/** A clip with subtitles of a kind, and chapters. */
async function withCaptions(
  name: string,
  tracks: { srt: string; codec: string; metadata: string[] }[],
): Promise<string> {
  const clip = await makeClip(dir, { name: `plain-${name}.mp4`, durationSeconds: 5 });
  const chapters = join(dir, 'chapters.txt');
  await writeFile(chapters, CHAPTERS);
  const path = join(dir, name);
  const files: string[] = [];
  for (const [index, { srt }] of tracks.entries()) {
    const file = join(dir, `${name}-${index}.srt`);
    await writeFile(file, srt);
    files.push('-i', file);
  }
  const inputs = ['-i', clip, '-f', 'ffmetadata', '-i', chapters, ...files];
  const copied = ['-map', '0:v', '-map', '0:a', '-map_chapters', '1', '-c:v', 'copy', '-c:a', 'copy'];
  await ffmpeg(
    ...inputs,
    ...copied,
    ...tracks.flatMap((_, index) => ['-map', `${index + 2}:s`]),
    ...tracks.flatMap(({ codec, metadata }, index) => [
      `-c:s:${index}`,
      codec,
      ...metadata.flatMap((entry) => [`-metadata:s:s:${index}`, entry]),
    ]),
    path,
  );
  return path;
}

test.each([
  ['MP4', 'texts.mp4', ['mov_text', 'mov_text']],
  ['Matroska', 'texts.mkv', ['subrip', 'ass']],
  ['WebVTT in Matroska', 'vtt.mkv', ['webvtt', 'webvtt']],
])('captions and chapters of a video are imported: %s', async (_, name, [first = '', second = '']) => {
  const path = await withCaptions(name, [
    { srt: SRT, codec: first, metadata: ['language=eng'] },
    { srt: SRT.replace('Hello', 'Namaste'), codec: second, metadata: ['language=hin', 'title=Director'] },
  ]);
  const { accountId, videoId, video } = await made(path);

  const [tracks = []] = await captions.list(accountId, [videoId]);
  const title = name.endsWith('.mp4') ? 'हिन्दी' : 'Director';
  expect(tracks.map(({ language, label, origin }) => [language, label, origin])).toEqual([
    ['en', 'English', 'source'],
    ['hi', title, 'source'],
  ]);
  const english = tracks.find(({ language }) => language === 'en')!;
  const { vtt } = (await published.caption(accountId, videoId, english.id))!;
  // Matroska shifts everything by the sound's priming: the whole video, including its subtitles, is a few milliseconds later.
  const tenths = (seconds: number): number => Math.floor(seconds * 10) / 10;
  const cues = parseVtt(vtt).map((cue) => [tenths(cue.startSeconds), tenths(cue.endSeconds), cue.text]);
  expect(cues).toEqual([
    [1, 2.5, 'Hello <i>there</i>'],
    [3, 4, 'Bye'],
  ]);
  expect(video.chapters).toEqual([
    { startMs: 0, title: 'Beginning', origin: 'source' },
    { startMs: 2_000, title: 'End; of it <all>', origin: 'source' },
  ]);
  expect(parseVtt((await published.chapters(accountId, videoId))!)).toHaveLength(2);

  // An independent parser finds them.
  const parser = new Parser();
  parser.push((await published.masterPlaylist(accountId, videoId))!);
  parser.end();
  const { mediaGroups, playlists } = parser.manifest as {
    mediaGroups: { SUBTITLES: Record<string, Record<string, { language: string; uri: string }>> };
    playlists: { attributes: { SUBTITLES?: string } }[];
  };
  expect(mediaGroups.SUBTITLES['captions']!['English']).toMatchObject({
    language: 'en',
    uri: `captions/${english.id}.m3u8`,
  });
  expect(playlists.every(({ attributes }) => attributes.SUBTITLES === 'captions')).toBe(true);
  await expectNoFaults({ accountId, videoId }, 2);

  // The store's part of the video contains none of the subtitles.
  const keys = await pipeline.keys(video.picturesPrefix!);
  expect(keys.filter((key) => key.includes('track_') || key.includes('texts'))).toEqual([]);
  await pipeline.videos.delete(accountId, videoId);
  expect(await captions.list(accountId, [videoId])).toEqual([[]]);
});

/** Checks the whole stream, which has this many subtitle tracks. */
async function expectNoFaults(video: Video, tracks: number): Promise<void> {
  const stream = await readVideo(pipeline, video);
  expect(stream.media.filter(({ kind }) => kind === 'subtitles')).toHaveLength(tracks);
  expect(faultsOf(stream)).toEqual([]);
}

/** Minimal Blu-ray subtitles: an empty screen, and its end. */
function picturesOfText(): Buffer {
  const segment = (type: number, content: number[]): Buffer =>
    Buffer.from([...Buffer.from('PG'), 0, 1, 0x5f, 0x90, 0, 0, 0, 0, type, 0, content.length, ...content]);
  return Buffer.concat([segment(0x16, [0, 160, 0, 90, 0x10, 0, 0, 0x80, 0, 0, 0]), segment(0x80, [])]);
}

test('the purpose of captions is imported, and subtitles as pictures are counted', async () => {
  const texts = await withCaptions('purposes-1.mkv', [
    { srt: SRT, codec: 'subrip', metadata: ['language=eng'] },
    { srt: SRT, codec: 'subrip', metadata: ['language=eng'] },
  ]);
  const pictures = join(dir, 'pictures.sup');
  await writeFile(pictures, picturesOfText());
  const path = join(dir, 'purposes.mkv');
  const purposes = ['-disposition:s:0', 'forced', '-disposition:s:1', 'hearing_impaired'];
  await ffmpeg('-i', texts, '-f', 'sup', '-i', pictures, '-map', '0', '-map', '1', '-c', 'copy', ...purposes, path);
  const { accountId, videoId, video } = await made(path);

  expect(video.sourceProbe).toMatchObject({ pictureSubtitles: 1 });
  const [tracks = []] = await captions.list(accountId, [videoId]);
  expect(tracks.map(({ label, isForced, isSdh }) => [label, isForced, isSdh])).toEqual([
    ['English (forced)', true, false],
    ['English (SDH)', false, true],
  ]);
  const parser = new Parser();
  parser.push((await published.masterPlaylist(accountId, videoId))!);
  parser.end();
  const { mediaGroups } = parser.manifest as { mediaGroups: { SUBTITLES: Record<string, unknown> } };
  expect(mediaGroups.SUBTITLES['captions']).toMatchObject({
    'English (forced)': { autoselect: true, forced: true },
    'English (SDH)': {
      forced: false,
      characteristics: 'public.accessibility.describes-music-and-sound,public.accessibility.transcribes-spoken-dialog',
    },
  });
  await expectNoFaults({ accountId, videoId }, 2);
});

test('an invisible cue, and an empty line in a cue, remove no other cue', async () => {
  const srt = SRT.replace('2\n00:00:03', '2\n00:00:02,700 --> 00:00:02,700\nBlink\n\n3\n00:00:03');
  const path = await withCaptions('blink.mkv', [
    { srt, codec: 'subrip', metadata: ['language=eng'] },
    { srt: SRT.replace('Bye', 'Bye\\N\\Nthen'), codec: 'ass', metadata: ['language=hin', 'title=ASS'] },
  ]);
  const { accountId, videoId } = await made(path);
  const [tracks = []] = await captions.list(accountId, [videoId]);
  const texts = await Promise.all(tracks.map(({ id }) => published.caption(accountId, videoId, id)));
  expect(tracks.map(({ language }, index) => [language, parseVtt(texts[index]!.vtt).map(({ text }) => text)])).toEqual([
    ['en', ['Hello <i>there</i>', 'Bye']],
    ['hi', ['Hello <i>there</i>', 'Bye\nthen']],
  ]);
});

test('huge or invalid subtitles are left out, and the video is processed', async () => {
  const huge = Array.from(
    { length: 1_200 },
    (_, n) =>
      `${n + 1}\n00:00:0${Math.floor(n / 300)},${String(n % 300).padStart(3, '0')} --> 00:00:04,900\n${'x'.repeat(1_000)}\n`,
  ).join('\n');
  const path = await withCaptions('hostile.mkv', [
    { srt: huge, codec: 'subrip', metadata: ['language=eng', `title=${'../'.repeat(40)}etc/passwd`] },
    { srt: SRT, codec: 'subrip', metadata: ['language=<script>', `title=-i "x" \n#EXT-X-ENDLIST`] },
    { srt: '1\n00:00:01,000 --> 00:00:02,000\n<b></b>\n', codec: 'subrip', metadata: ['language=fra'] },
  ]);
  const { accountId, videoId } = await made(path);
  const [tracks = []] = await captions.list(accountId, [videoId]);
  expect(tracks.map(({ language, label }) => [language, label])).toEqual([['und', '-i "x" #EXT-X-ENDLIST']]);
  const lines = (await published.masterPlaylist(accountId, videoId))!.split('\n');
  expect(lines.filter((line) => line.startsWith('#EXT-X-ENDLIST'))).toEqual([]);
  await expectNoFaults({ accountId, videoId }, 1);
});

test("processing again does not undo an owner's edits of captions", async () => {
  const path = await withCaptions('again.mkv', [{ srt: SRT, codec: 'subrip', metadata: ['language=eng'] }]);
  const accountId = await pipeline.account(20n);
  const videoId = await pipeline.measured(accountId, path);
  await captions.setChapters(accountId, videoId, [{ startSeconds: 1, title: 'Mine' }]);
  await captions.upload(accountId, videoId, { language: 'en', label: 'English', text: SRT.replace('Hello', 'Mine') });
  await pipeline.buy(accountId, videoId, '480p');
  const video = await pipeline.until(accountId, videoId, ({ status }) => status === 'ready');
  expect(video.chapters).toEqual([{ startMs: 1_000, title: 'Mine', origin: 'upload' }]);
  const [tracks = []] = await captions.list(accountId, [videoId]);
  expect(tracks.map(({ label, origin }) => [label, origin])).toEqual([['English', 'upload']]);
});
