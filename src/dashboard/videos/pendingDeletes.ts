import { words } from '#words/shell.js';
import type { ApolloClient } from '@apollo/client';
import { print } from '@apollo/client/utilities';
import { useSyncExternalStore } from 'react';
import { MODE_HEADERS } from '../app/mode.js';
import { lineOf } from '../app/words.js';
import { DeleteVideosDocument } from '../generated/graphql.js';
import { showToast } from '../parts/toasts.js';

/** How long a deletion can be undone. */
export const UNDO_MS = 7000;
/** The service's maximum per request. */
const BATCH = 100;

interface Doomed {
  readonly id: string;
  readonly title: string;
}

interface Pending {
  readonly ids: readonly string[];
  readonly client: ApolloClient;
}

/** Hidden videos: `leaving` can still be restored, those that have `left` are deleted. */
export interface GoneVideos {
  readonly leaving: ReadonlySet<string>;
  readonly left: ReadonlySet<string>;
}

const pending = new Set<Pending>();
let gone: GoneVideos = { leaving: new Set(), left: new Set() };
const listeners = new Set<() => void>();

function change(run: (leaving: Set<string>, left: Set<string>) => void): void {
  const [leaving, left] = [new Set(gone.leaving), new Set(gone.left)];
  run(leaving, left);
  gone = { leaving, left };
  for (const listener of listeners) listener();
}

/** Records a deletion, here or elsewhere: no list shows these videos any more. */
export function noteDeleted(ids: readonly string[]): void {
  change((leaving, left) => {
    for (const id of ids) {
      leaving.delete(id);
      left.add(id);
    }
  });
}

/**
 * Hides videos at once, and deletes them when the toast closes. Until then the service knows nothing, and "Undo" only
 * shows them again. Leaving the page closes the toast.
 */
export function deleteWithUndo(client: ApolloClient, videos: readonly Doomed[]): void {
  const batch: Pending = { ids: videos.map(({ id }) => id), client };
  pending.add(batch);
  change((leaving) => batch.ids.forEach((id) => leaving.add(id)));
  showToast({
    title:
      videos.length === 1
        ? words.pendingDeletes.deleted(videos[0]?.title ?? '')
        : words.pendingDeletes.videosDeleted(videos.length),
    durationMs: UNDO_MS,
    action: {
      label: words.pendingDeletes.undo,
      run: () => {
        pending.delete(batch);
        show(batch.ids);
      },
    },
    onClosed: () => void commit(batch, videos),
  });
}

function show(ids: readonly string[]): void {
  change((leaving) => ids.forEach((id) => leaving.delete(id)));
}

async function commit(batch: Pending, videos: readonly Doomed[]): Promise<void> {
  // Already sent, when the page seemed to be left.
  if (!pending.delete(batch)) return;
  const { ids, client } = batch;
  try {
    for (let at = 0; at < ids.length; at += BATCH) {
      const some = ids.slice(at, at + BATCH);
      await client.mutate({ mutation: DeleteVideosDocument, variables: { ids: some } });
      noteDeleted(some);
      for (const id of some) client.cache.evict({ id: `Video:${id}` });
    }
    // Refetch visible lists: their counts have changed.
    await client.refetchQueries({
      include: 'active',
      onQueryUpdated: ({ queryName }) => queryName === 'Videos' || queryName === 'VideoTags',
    });
  } catch (error) {
    show(ids);
    showToast({
      kind: 'bad',
      title: ids.length === 1 ? words.pendingDeletes.couldNotDelete : words.pendingDeletes.couldNotDeleteAll,
      message: lineOf(error),
      action: { label: words.pendingDeletes.tryAgain, run: () => deleteWithUndo(client, videos) },
    });
  }
}

/** Deletes pending videos at once. Resolves when the service has responded. */
export async function flushDeletes(): Promise<void> {
  const batches = [...pending];
  pending.clear();
  const ids = batches.flatMap((batch) => batch.ids);
  const requests: Promise<unknown>[] = [];
  for (let at = 0; at < ids.length; at += BATCH) {
    const body = JSON.stringify({
      query: print(DeleteVideosDocument),
      variables: { ids: ids.slice(at, at + BATCH) },
    });
    // `keepalive`: the request survives the page that sends it.
    requests.push(
      fetch('/graphql', {
        method: 'POST',
        keepalive: true,
        credentials: 'same-origin',
        headers: { 'content-type': 'application/json', ...MODE_HEADERS },
        body,
      }),
    );
  }
  await Promise.allSettled(requests);
}

addEventListener('pagehide', () => void flushDeletes());

export function useGoneVideos(): GoneVideos {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => gone,
  );
}
