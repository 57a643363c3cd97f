import { isUuid, parseVideoId } from '../../domain/shared/ids.js';
import { AppError } from '../../errors.js';

const RUN = /^[1-9]\d{0,8}-[1-9]\d{0,8}$/;
const RENDITION = /^(audio(-([2-9]|1[0-6]))?|\d{3,4}p)$/;
/** Name of an init or media segment, in playlists and URLs. */
export const SEGMENT_NAME = /^(init\.mp4|seg_\d{5}(?:_\d{1,9})?\.m4s)$/;
const PLAYLIST = /^(index|iframes)$/;
const POSTER = /^([A-Za-z0-9_-]{8,128})\.(jpg|webp)$/;
const KEY_INDEX = /^(0|[1-9]\d{0,5})$/;
const CAPTION_FILE = /^([0-9a-f-]{36})\.(m3u8|vtt)$/;
const STORYBOARD_FILE = /^(index\.vtt|sheet_[1-9]\d?\.jpg|iframes\.m3u8|iframes\.mp4)$/;

type Params = Readonly<Record<string, string | string[] | undefined>>;

/** Accepts only our own spelling of `vid_…`, so that a video has one URL. @returns the UUID. @throws NOT_FOUND */
export function videoUuid(params: Params): string {
  const text = textOf(params, 'video');
  const uuid = isUuid(text) ? null : parseVideoId(text);
  if (uuid === null) throw noSuchFile();
  return uuid;
}

/** @throws NOT_FOUND for any other name, so that only our own names become part of a store key */
export function renditionOf(params: Params): { run: string; rendition: string } {
  return { run: matching(params, 'run', RUN), rendition: matching(params, 'rendition', RENDITION) };
}

/** The playlist of a rendition or of its keyframes. The parameter has no file extension. @throws NOT_FOUND */
export function playlistFile(params: Params): string {
  return `${matching(params, 'playlist', PLAYLIST)}.m3u8`;
}

/** @throws NOT_FOUND */
export function segmentFile(params: Params): string {
  return matching(params, 'file', SEGMENT_NAME);
}

/** The playlist or the text of a caption track. @throws NOT_FOUND */
export function captionFile(params: Params): { captionId: string; kind: 'playlist' | 'vtt' } {
  const [, captionId = '', ending] = CAPTION_FILE.exec(textOf(params, 'file')) ?? [];
  if (!isUuid(captionId)) throw noSuchFile();
  return { captionId, kind: ending === 'vtt' ? 'vtt' : 'playlist' };
}

/** @throws NOT_FOUND */
export function storyboardFile(params: Params): { run: string; file: string } {
  return { run: matching(params, 'run', RUN), file: matching(params, 'file', STORYBOARD_FILE) };
}

/** A key of an encrypted video, beside the renditions of its run. @throws NOT_FOUND */
export function keyOf(params: Params): { attempt: number; run: number; keyIndex: number } {
  const [attempt = NaN, run = NaN] = matching(params, 'run', RUN).split('-').map(Number);
  return { attempt, run, keyIndex: Number(matching(params, 'index', KEY_INDEX)) };
}

/** A poster (`jpg`) or a moving preview (`webp`). @throws NOT_FOUND */
export function posterOf(params: Params): { accountId: string; token: string; kind: 'jpg' | 'webp' } {
  const accountId = textOf(params, 'account');
  const [, token, kind] = POSTER.exec(textOf(params, 'file')) ?? [];
  if (!isUuid(accountId) || token === undefined) throw noSuchFile();
  return { accountId, token, kind: kind === 'webp' ? 'webp' : 'jpg' };
}

function matching(params: Params, name: string, pattern: RegExp): string {
  const text = textOf(params, name);
  if (!pattern.test(text)) throw noSuchFile();
  return text;
}

function textOf(params: Params, name: string): string {
  const value = params[name];
  return typeof value === 'string' ? value : '';
}

function noSuchFile(): AppError {
  return new AppError('NOT_FOUND', 'File not found.');
}
