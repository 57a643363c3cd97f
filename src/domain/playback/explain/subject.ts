import { hashKey } from '../../accounts/keys/keyFormat.js';
import { isUuid, parseVideoId } from '../../shared/ids.js';

/** What somebody asks about. Whole keys become their hash here, and are kept nowhere. */
export type Subject =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'address'; readonly grant: string; readonly videoId: string }
  | { readonly kind: 'key'; readonly hash: Buffer }
  | { readonly kind: 'keyPrefix'; readonly prefix: string; readonly last4: string | null }
  | { readonly kind: 'misspeltKey' }
  | { readonly kind: 'unknown' };

/** Longer than any token. */
const MAX_LENGTH = 4096;
/** As the dashboard shows keys: `dk_live_4f7a…9c1e`. The end may be missing. */
const SHOWN_KEY = /^(dk_(?:live|test)_[0-9A-Za-z]{4})(?:(?:…|\.{3})([0-9A-Za-z]{4}))?$/;
/** Of a playlist, a segment or anything else of a stream. */
const ADDRESS = /^https?:\/\/[^/]+(?:\/[^?#]*)?\/media\/([\w-]+)\/(vid_[0-9A-Za-z]+)\//;
const BEGINS_LIKE_A_KEY = /^dk_(?:live|test)_/;
const THREE_PARTS = /^[\w-]+\.[\w-]+\.[\w-]*$/;

export function subjectOf(text: string): Subject {
  const asked = text.trim();
  if (asked.length > MAX_LENGTH) return { kind: 'unknown' };
  if (isUuid(asked)) return { kind: 'id', id: asked.toLowerCase() };
  if (THREE_PARTS.test(asked)) return { kind: 'token', token: asked };
  const [, grant, video] = ADDRESS.exec(asked) ?? [];
  const videoId = video === undefined ? null : parseVideoId(video);
  if (grant !== undefined && videoId !== null) return { kind: 'address', grant, videoId };
  const [, prefix, last4 = null] = SHOWN_KEY.exec(asked) ?? [];
  if (prefix !== undefined) return { kind: 'keyPrefix', prefix, last4 };
  if (!BEGINS_LIKE_A_KEY.test(asked)) return { kind: 'unknown' };
  const hash = hashKey(asked);
  return hash ? { kind: 'key', hash } : { kind: 'misspeltKey' };
}
