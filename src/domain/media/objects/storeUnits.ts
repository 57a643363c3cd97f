import type { ObjectInfo } from '../../../ports/objectStore.js';

const KEY =
  /^(?:posters|sources|videos)\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/(.+)$/;

/**
 * What is compared as a whole: a source, a chosen poster, or everything one run published. Its key is the object's key,
 * or the run's prefix with a trailing slash. Either way, a listing has its groups one after the other, in order.
 */
export interface Group {
  readonly key: string;
  /** `null` if this service does not write such keys. */
  readonly owner: { readonly accountId: string; readonly videoId: string } | null;
}

/** What the store has of one group: bytes per unit, and the time of the last write. */
export interface Measured {
  readonly group: Group;
  readonly units: ReadonlyMap<string, bigint>;
  readonly newestMs: number;
}

/** @param key of an object, or of a row of stored_object */
export function groupOf(key: string): Group {
  const match = KEY.exec(key);
  if (!match) return { key, owner: null };
  const [, accountId = '', videoId = '', rest = ''] = match;
  const run = key.startsWith('videos/') ? rest.split('/', 1)[0] : undefined;
  const isInRun = run !== undefined && run !== rest;
  return { key: isInRun ? `videos/${accountId}/${videoId}/${run}/` : key, owner: { accountId, videoId } };
}

/** The row that counts an object of a group: a folder of a run (with a trailing slash), or a file. */
export function unitOf(key: string, groupKey: string): string {
  if (!groupKey.endsWith('/')) return key;
  const [name, ...file] = key.slice(groupKey.length).split('/');
  return file.length === 0 ? key : `${groupKey}${name}/`;
}

/** Splits a listing into groups; holds one at a time. */
export async function* measure(listing: AsyncIterable<ObjectInfo>): AsyncGenerator<Measured> {
  let group: Group | null = null;
  let units = new Map<string, bigint>();
  let newestMs = 0;
  for await (const object of listing) {
    const next = groupOf(object.key);
    if (group !== null && group.key !== next.key) {
      yield { group, units, newestMs };
      [units, newestMs] = [new Map(), 0];
    }
    group = next;
    const unit = unitOf(object.key, group.key);
    units.set(unit, (units.get(unit) ?? 0n) + BigInt(object.sizeBytes));
    newestMs = Math.max(newestMs, object.modifiedAt.getTime());
  }
  if (group !== null) yield { group, units, newestMs };
}
