import type { AttemptService } from '../domain/media/pipeline/attempt.service.js';
import type { ChunkService } from '../domain/media/pipeline/chunk.service.js';
import type { LeftoversService } from '../domain/media/pipeline/leftovers.service.js';
import type { ProcessingService } from '../domain/media/pipeline/processing.service.js';
import type { UploadService } from '../domain/media/uploads/uploads.js';
import type { ObjectStore } from '../ports/objectStore.js';
import type { Chore } from './chores.js';
import type { WorkFolders } from './workFolder.js';

export interface SweepDeps {
  readonly leftovers: LeftoversService;
  readonly attempts: AttemptService;
  readonly chunks: Pick<ChunkService, 'sweep'>;
  readonly processing: Pick<ProcessingService, 'processWaiting'>;
  readonly uploads: Pick<UploadService, 'recoverUploads' | 'expireUploads'>;
  readonly store: Pick<ObjectStore, 'removeLeftovers'>;
  readonly folders: WorkFolders;
}

/** Removes everything that a crash can leave behind, and continues what waited for credits. */
export function sweepChores({ leftovers, uploads, chunks, processing, ...own }: SweepDeps): Chore[] {
  return [
    { name: 'orphaned attempts', run: () => leftovers.abandonOrphans() },
    { name: 'complete uploads', run: () => uploads.recoverUploads() },
    { name: 'abandoned uploads', run: () => uploads.expireUploads() },
    { name: 'unmeasured uploads', run: () => leftovers.resumeMeasuring() },
    { name: 'videos waiting for credits', run: (signal) => processing.processWaiting(signal) },
    { name: 'chunks', run: () => chunks.sweep() },
    { name: 'store', run: () => leftovers.sweepStore() },
    ...ownChores(own),
  ];
}

/**
 * Removes what a crash can leave in folders that may exist only on this machine, so that no other worker can sweep
 * them.
 */
export function ownChores({ attempts, store, folders }: Pick<SweepDeps, 'attempts' | 'store' | 'folders'>): Chore[] {
  return [
    { name: 'leftovers in the store', run: () => store.removeLeftovers() },
    { name: 'work folders', run: () => sweepFolders(attempts, folders) },
  ];
}

/** A run claims its attempt before it makes its folder. So a folder without a running claim belongs to nobody. */
async function sweepFolders(attempts: AttemptService, folders: WorkFolders): Promise<number> {
  let removed = 0;
  for (const run of await folders.list()) {
    if (await attempts.isHeld(run)) continue;
    await folders.remove(run);
    removed += 1;
  }
  return removed;
}
