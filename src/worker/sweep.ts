import type { AttemptService } from '../domain/media/pipeline/attempt.service.js';
import type { ChunkService } from '../domain/media/pipeline/chunk.service.js';
import type { LeftoversService } from '../domain/media/pipeline/leftovers.service.js';
import type { UploadService } from '../domain/media/uploads/uploads.js';
import type { ObjectStore } from '../ports/objectStore.js';
import type { Chore } from './chores.js';
import type { WorkFolders } from './workFolder.js';

export interface SweepDeps {
  readonly leftovers: LeftoversService;
  readonly attempts: AttemptService;
  readonly chunks: Pick<ChunkService, 'sweep'>;
  readonly uploads: Pick<UploadService, 'recoverUploads' | 'expireUploads'>;
  readonly store: Pick<ObjectStore, 'removeLeftovers'>;
  readonly folders: WorkFolders;
}

/** Everything that a crash can leave behind. */
export function sweepChores({ leftovers, uploads, chunks, ...own }: SweepDeps): Chore[] {
  return [
    { name: 'orphaned attempts', run: () => leftovers.abandonOrphans() },
    { name: 'complete uploads', run: () => uploads.recoverUploads() },
    { name: 'abandoned uploads', run: () => uploads.expireUploads() },
    { name: 'unmeasured uploads', run: () => leftovers.resumeMeasuring() },
    { name: 'chunks', run: () => chunks.sweep() },
    { name: 'store', run: () => leftovers.sweepStore() },
    ...ownChores(own),
  ];
}

/** What a crash can leave in folders that may be this machine's alone, where nobody else can sweep them. */
export function ownChores({ attempts, store, folders }: Pick<SweepDeps, 'attempts' | 'store' | 'folders'>): Chore[] {
  return [
    { name: 'leftovers in the store', run: () => store.removeLeftovers() },
    { name: 'work folders', run: () => sweepFolders(attempts, folders) },
  ];
}

/** A folder is made after its run is claimed, so that a folder without a running claim is nobody's. */
async function sweepFolders(attempts: AttemptService, folders: WorkFolders): Promise<number> {
  let removed = 0;
  for (const run of await folders.list()) {
    if (await attempts.isHeld(run)) continue;
    await folders.remove(run);
    removed += 1;
  }
  return removed;
}
