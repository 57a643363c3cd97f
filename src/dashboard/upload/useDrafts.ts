import { useSyncExternalStore } from 'react';
import { useViewer } from '../session/viewer.js';
import { DraftStore, type Drafts } from './drafts.js';

/** One store for the page, for the signed-in account. */
let current: { readonly accountId: string; readonly store: DraftStore } | undefined;

function storeOf(accountId: string): DraftStore {
  if (current?.accountId !== accountId) current = { accountId, store: new DraftStore() };
  return current.store;
}

export function useDrafts(): { readonly store: DraftStore; readonly drafts: Drafts } {
  const store = storeOf(useViewer().account.id);
  return { store, drafts: useSyncExternalStore(store.subscribe, store.snapshot) };
}
