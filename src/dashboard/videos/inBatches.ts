import { words } from '#words/bin.js';
import { lineOf } from '../app/words.js';
import { showProgress } from '../parts/toasts.js';

/** The service's maximum per request. */
export const BATCH = 100;

/** What became of many ids. Every id is in one of the lists. */
export interface Outcome {
  /** The service did it. */
  readonly done: readonly string[];
  /** The service answered, and did not do it. */
  readonly refused: readonly string[];
  /** Not asked for: after a failure, or because it was cancelled. */
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
    const left = ids.slice(at);
    if (signal?.aborted) return { done, refused, left, error: undefined };
    onProgress?.(at);
    const some = ids.slice(at, at + batch);
    try {
      const did = new Set(await act(some));
      for (const id of some) (did.has(id) ? done : refused).push(id);
    } catch (error) {
      return { done, refused, left, error: error instanceof Error ? error : new Error('no error', { cause: error }) };
    }
  }
  return { done, refused, left: [], error: undefined };
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
  const all: { done: string[]; refused: string[]; left: string[]; error: Error | undefined } = {
    done: [],
    refused: [],
    left: [],
    error: undefined,
  };
  let behind = 0;
  for (const group of groups) {
    if (all.error !== undefined) {
      all.left.push(...group.ids);
      continue;
    }
    const before = behind;
    const { done, refused, left, error } = await inBatches(group.ids, (some) => act(some, group), {
      ...progress,
      onProgress: (count) => onProgress?.(before + count),
    });
    all.done.push(...done);
    all.refused.push(...refused);
    all.left.push(...left);
    all.error = error;
    behind += group.ids.length;
  }
  return all;
}

/**
 * As `inBatches`. If one request is not enough, a toast says how far it is, and can cancel it between two requests.
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
  const cancelling = new AbortController();
  const toast = showProgress({ title, action: { label: words.batch.cancel, run: () => cancelling.abort() } });
  try {
    return await run(cancelling.signal, toast.update);
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

/** A sentence about what was not done, and why if something failed. */
export function withReason(sentence: string, error: unknown): string {
  return error === undefined ? sentence : `${sentence} ${lineOf(error)}`;
}
