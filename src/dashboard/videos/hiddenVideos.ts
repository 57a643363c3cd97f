import { useSyncExternalStore } from 'react';

/** Videos that no list shows: those that are being deleted, and those that are deleted. */
let leaving: ReadonlySet<string> = new Set();
let left: ReadonlySet<string> = new Set();
let hidden: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function change(next: { leaving?: ReadonlySet<string>; left?: ReadonlySet<string> }): void {
  leaving = next.leaving ?? leaving;
  left = next.left ?? left;
  hidden = new Set([...leaving, ...left]);
  for (const listener of listeners) listener();
}

function without(all: ReadonlySet<string>, ids: readonly string[]): ReadonlySet<string> {
  const rest = new Set(all);
  for (const id of ids) rest.delete(id);
  return rest;
}

/** Hides videos whose deletion is requested. */
export function noteLeaving(ids: readonly string[]): void {
  change({ leaving: new Set([...leaving, ...ids]) });
}

/** The request has ended: those that were deleted stay hidden. */
export function noteRequestEnded(ids: readonly string[]): void {
  change({ leaving: without(leaving, ids) });
}

/** Records a deletion, here or elsewhere. */
export function noteDeleted(ids: readonly string[]): void {
  change({ left: new Set([...left, ...ids]) });
}

/** Records that a video exists, because it was restored here or elsewhere. */
export function noteRestored(ids: readonly string[]): void {
  if (ids.some((id) => left.has(id))) change({ left: without(left, ids) });
}

export function useHiddenVideos(): ReadonlySet<string> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => hidden,
  );
}
