import { words } from '#words/bin.js';
import { isLost, isRefusedAtOnce, lineOf } from '../session/failures.js';
import { showProgress } from './toasts.js';

/** The service's maximum per request. */
export const BATCH = 100;

/** What became of many ids. Every id is in one of the lists. */
export interface Outcome {
  /** The service did it. */
  readonly done: readonly string[];
  /** The service answered, and did not do it. */
  readonly refused: readonly string[];
  /** Asked for, without a response for each: the request failed on its way back, or halfway through them. */
  readonly unknown: readonly string[];
  /** Not asked for: after a failure, or because it was stopped. */
  readonly left: readonly string[];
  /** What ended it early; undefined if nothing failed. */
  readonly error: Error | undefined;
}

export interface Progress {
  readonly batch?: number;
  /** Ends it after the batch that runs. */
  readonly signal?: AbortSignal;
  /** Before each batch, with how many ids are behind it. */
  readonly onProgress?: (done: number) => void;
}

/**
 * Runs an action for many ids, as many at once as the service takes.
 *
 * @param act returns the ids for which it was done
 */
export async function inBatches(
  ids: readonly string[],
  act: (some: string[]) => Promise<readonly string[]>,
  { batch = BATCH, signal, onProgress }: Progress = {},
): Promise<Outcome> {
  const done: string[] = [];
  const refused: string[] = [];
  for (let at = 0; at < ids.length; at += batch) {
    if (signal?.aborted) return { done, refused, unknown: [], left: ids.slice(at), error: undefined };
    onProgress?.(at);
    const some = ids.slice(at, at + batch);
    try {
      const did = new Set(await act(some));
      for (const id of some) (did.has(id) ? done : refused).push(id);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error('no error', { cause: thrown });
      // A request that is refused as a whole, or for one of them, changed nothing.
      const isKnown = isRefusedAtOnce(error) || (some.length === 1 && !isLost(error));
      const from = isKnown ? at : at + some.length;
      return { done, refused, unknown: isKnown ? [] : some, left: ids.slice(from), error };
    }
  }
  return { done, refused, unknown: [], left: [], error: undefined };
}

/**
 * Several actions as one: they share one progress, and whatever ends one of them ends those after it.
 *
 * @param act returns the ids for which it was done
 */
export async function inGroups<Group extends { readonly ids: readonly string[] }>(
  groups: readonly Group[],
  act: (some: string[], group: Group) => Promise<readonly string[]>,
  { onProgress, ...progress }: Progress = {},
): Promise<Outcome> {
  const [done, refused, unknown, left]: [string[], string[], string[], string[]] = [[], [], [], []];
  let error: Error | undefined;
  let behind = 0;
  for (const group of groups) {
    if (error !== undefined) {
      left.push(...group.ids);
      continue;
    }
    const before = behind;
    const some = await inBatches(group.ids, (ids) => act(ids, group), {
      ...progress,
      onProgress: (count) => onProgress?.(before + count),
    });
    done.push(...some.done);
    refused.push(...some.refused);
    unknown.push(...some.unknown);
    left.push(...some.left);
    error = some.error;
    behind += group.ids.length;
  }
  return { done, refused, unknown, left, error };
}

/**
 * As `inBatches`. If one request is not enough, a toast says how far it is, and can stop it between two requests.
 *
 * @param progress the words for so many of all
 */
export async function inBatchesWithToast(
  ids: readonly string[],
  progress: (done: number, total: number) => string,
  act: (some: string[]) => Promise<readonly string[]>,
): Promise<Outcome> {
  if (ids.length <= BATCH) return inBatches(ids, act);
  return withProgressToast(progress(0, ids.length), (signal, update) =>
    inBatches(ids, act, { signal, onProgress: (done) => update(progress(done, ids.length)) }),
  );
}

/** Shows a toast for as long as `run` takes. Its button aborts the signal; `run` decides when to stop. */
export async function withProgressToast<Result>(
  title: string,
  run: (signal: AbortSignal, update: (title: string) => void) => Promise<Result>,
): Promise<Result> {
  const stopping = new AbortController();
  const toast = showProgress({ title, action: { label: words.batch.stop, run: () => stopping.abort() } });
  try {
    return await run(stopping.signal, toast.update);
  } finally {
    toast.close();
  }
}

/** Those of the videos whose ids are among `ids`, in the order of the videos. */
export function withIds<Video extends { readonly id: string }>(
  videos: readonly Video[],
  ids: readonly string[],
): Video[] {
  const wanted = new Set(ids);
  return videos.filter(({ id }) => wanted.has(id));
}

const NAMED = 3;

/** The first of them by name, and how many others there are. */
export function nameSome(
  videos: readonly { readonly id: string; readonly title: string }[],
  ids: readonly string[],
): string {
  const titles = withIds(videos, ids).map(({ title }) => title);
  const names = titles.slice(0, NAMED).map(words.batch.quoted).join(', ');
  return titles.length > NAMED ? words.batch.namedAndMore(names, titles.length - NAMED) : names;
}

/** What was not done, and what may have been, by name; and why, if something failed. */
export function sayMissing(
  videos: readonly { readonly id: string; readonly title: string }[],
  { refused, unknown, left, error }: Omit<Outcome, 'done'>,
  notDone: (names: string) => string,
): string {
  const missing = [...refused, ...left];
  return [
    ...(missing.length > 0 ? [notDone(nameSome(videos, missing))] : []),
    ...(unknown.length > 0 ? [words.batch.notConfirmed(nameSome(videos, unknown))] : []),
    ...(error === undefined ? [] : [lineOf(error)]),
  ].join(' ');
}
