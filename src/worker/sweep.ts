import type { AttemptService } from '../domain/processing/attempt.service.js';
import type { LeftoversService } from '../domain/processing/leftovers.service.js';
import type { UploadService } from '../domain/videos/uploads.js';
import type { Logger } from '../logger.js';
import type { WorkFolders } from './workFolder.js';

export interface SweepDeps {
  readonly leftovers: LeftoversService;
  readonly attempts: AttemptService;
  readonly uploads: Pick<UploadService, 'recoverUploads' | 'expireUploads'>;
  readonly folders: WorkFolders;
  readonly logger: Logger;
}

/** Everything that a crash can leave behind, once over. One part that fails does not keep the others from running. */
export async function sweep(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  const { leftovers, uploads, logger } = deps;
  const parts: [name: string, run: () => Promise<unknown>][] = [
    ['orphaned attempts', () => leftovers.abandonOrphans()],
    ['complete uploads', () => uploads.recoverUploads()],
    ['abandoned uploads', () => uploads.expireUploads()],
    ['unmeasured uploads', () => leftovers.resumeMeasuring()],
    ['store', () => leftovers.sweepStore()],
    ['work folders', () => sweepFolders(deps)],
  ];
  for (const [part, run] of parts) {
    if (signal.aborted) return;
    try {
      const count = await run();
      if (count) logger.info({ scope: 'job', part, count }, 'swept');
    } catch (error) {
      logger.error({ scope: 'job', part, err: error }, 'sweep failed');
    }
  }
}

/** A folder is made after its run is claimed, so that a folder without a running claim is nobody's. */
async function sweepFolders({ attempts, folders }: SweepDeps): Promise<number> {
  let removed = 0;
  for (const run of await folders.list()) {
    if (await attempts.isHeld(run)) continue;
    await folders.remove(run);
    removed += 1;
  }
  return removed;
}
