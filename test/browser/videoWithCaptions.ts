import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ffmpeg, makeClip } from '../support/media.js';

/** A constant bitrate: the file is large enough to be interrupted during its upload. */
const BITRATE = '2500k';

/** Ten seconds of 720p with chapters and captions in two languages, large enough to be interrupted. */
export async function videoWithCaptions(path: string): Promise<string> {
  const encoder = `-c:v libx264 -preset ultrafast -g 50 -b:v ${BITRATE} -minrate ${BITRATE} -maxrate ${BITRATE}`;
  const clip = await makeClip(path, {
    name: 'plain.mp4',
    durationSeconds: 10,
    width: 1280,
    height: 720,
    videoCodec: `${encoder} -bufsize ${BITRATE} -x264-params nal-hrd=cbr`.split(' '),
  });
  const put = async (name: string, text: string): Promise<string> => {
    await writeFile(join(path, name), text);
    return join(path, name);
  };
  const spoken = (words: string): string => `1\n00:00:00,000 --> 00:00:09,500\n${words}\n`;
  const chapter = (start: number, end: number, title: string): string =>
    `[CHAPTER]\nTIMEBASE=1/1\nSTART=${start}\nEND=${end}\ntitle=${title}\n`;
  const english = await put('en.srt', spoken('The river is slow here'));
  const hindi = await put('hi.srt', spoken('यहाँ नदी धीमी है'));
  const chapters = `;FFMETADATA1\n${chapter(0, 5, 'The spring')}${chapter(5, 10, 'The mouth')}`;
  const video = join(path, 'river.mp4');
  const inputs = [clip, english, hindi, await put('texts.ffmeta', chapters)].flatMap((input) => ['-i', input]);
  const streams = '-map 0 -map 1 -map 2 -map_metadata 3 -c copy -c:s mov_text'.split(' ');
  const languages = '-metadata:s:s:0 language=eng -metadata:s:s:1 language=hin'.split(' ');
  await ffmpeg(...inputs, ...streams, ...languages, video);
  return video;
}
