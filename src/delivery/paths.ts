import { isUuid, parseVideoId } from '../domain/ids.js';
import { AppError } from '../errors.js';

const RUN = /^[1-9]\d{0,8}-[1-9]\d{0,8}$/;
const RUNG = /^(audio|\d{3,4}p)$/;
const SEGMENT = /^(init\.mp4|seg_\d{5}\.m4s)$/;
const POSTER = /^([A-Za-z0-9_-]{8,128})\.jpg$/;

type Params = Readonly<Record<string, string | string[] | undefined>>;

/** `vid_…` exactly as we spell it: one video has one address. @returns the UUID. @throws NOT_FOUND */
export function videoUuid(params: Params): string {
  const text = textOf(params, 'video');
  const uuid = isUuid(text) ? null : parseVideoId(text);
  if (uuid === null) throw noSuchFile();
  return uuid;
}

/** @throws NOT_FOUND for what is no name of ours; so nothing else ever becomes part of a key. */
export function rungOf(params: Params): { run: string; rung: string } {
  return { run: matching(params, 'run', RUN), rung: matching(params, 'rung', RUNG) };
}

/** @throws NOT_FOUND */
export function segmentFile(params: Params): string {
  return matching(params, 'file', SEGMENT);
}

/** @throws NOT_FOUND */
export function posterOf(params: Params): { accountId: string; token: string } {
  const accountId = textOf(params, 'account');
  const token = POSTER.exec(textOf(params, 'file'))?.[1];
  if (!isUuid(accountId) || token === undefined) throw noSuchFile();
  return { accountId, token };
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
  return new AppError('NOT_FOUND', 'There is no such file.');
}
