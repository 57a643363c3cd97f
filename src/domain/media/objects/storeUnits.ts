import type { ObjectInfo } from '../../../ports/objectStore.js';

const KEY =
  /^(?:posters|sources|videos)\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/(.+)$/;

/**
 * What is compared as a whole: an uploaded source, a chosen poster, or all that one run published. Its key is the object's, or the run's
 * prefix with the slash at its end; either way the groups of a listing come one after the other, in order.
 */
export interface Group {
  readonly key: string;
  /** `null` where the key is none that this service writes. */
  readonly owner: { readonly accountId: string; readonly videoId: string } | null;
}

/** What lies in the store of one group: bytes per unit, and when the last of it was written. */
export interface Measured {
  readonly group: Group;
  readonly units: ReadonlyMap<string, bigint>;
  readonly newestMs: number;
}

/** @param key of an object, or of a row of stored_object. */
export function groupOf(key: string): Group {
  const match = KEY.exec(key);
  if (!match) return { key, owner: null };
  const [, accountId = '', videoId = '', rest = ''] = match;
  const run = key.startsWith('videos/') ? rest.split('/', 1)[0] : undefined;
  const isInRun = run !== undefined && run !== rest;
  return { key: isInRun ? `videos/${accountId}/${videoId}/${run}/` : key, owner: { accountId, videoId } };
}

/** The row that an object of a group is counted in: a folder below a run (with its slash) is one, and so is a file. */
export function unitOf(key: string, groupKey: string): string {
  if (!groupKey.endsWith('/')) return key;
  const [name, ...file] = key.slice(groupKey.length).split('/');
  return file.length === 0 ? key : `${groupKey}${name}/`;
}

/** Takes a listing apart into groups; holds one at a time. */
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
