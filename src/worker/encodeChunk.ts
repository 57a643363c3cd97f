import type { MediaKeyService } from '../domain/media/keys/mediaKeys.service.js';
import type { Admission } from '../domain/media/pipeline/admission.js';
import type { ChunkService } from '../domain/media/pipeline/chunk.service.js';
import type { Logger } from '../logger.js';
import type { EncodeChunkJob } from '../ports/jobQueue.js';
import type { JobRun } from '../ports/jobSource.js';
import type { ObjectStore } from '../ports/objectStore.js';
import type { Transcoder } from '../ports/transcoder.js';
import { makeChunk } from './makeChunk.js';
import type { WorkFolders } from './workFolder.js';

export interface EncodeChunkDeps {
  readonly runAdmission?: Pick<Admission, 'reserveSpace'>;
  readonly chunks: ChunkService;
  readonly mediaKeys: MediaKeyService;
  readonly transcoder: Transcoder;
  readonly store: ObjectStore;
  readonly folders: WorkFolders;
  readonly logger: Logger;
}

/** A source that has to be fetched first is fetched once for this many chunks. Then another video gets its turn. */
const CHUNKS_AT_A_STRETCH = 4;

/**
 * Runs one job: helps with another worker's video, unless a video waits for this worker. A job that comes too late does
 * nothing.
 */
export async function encodeChunk(
  deps: EncodeChunkDeps,
  job: JobRun<EncodeChunkJob>,
  videoWaits: () => boolean,
): Promise<void> {
  const { chunks, store, folders, mediaKeys } = deps;
  using space = await deps.runAdmission?.reserveSpace(job.data, { comesAgain: false });
  if (space === null) return;
  await Promise.all([store.check(), folders.check()]);
  const first = await chunks.claimNext(job.data);
  if (!first) return;
  const { videoId, attempt, run } = job.data;
  const logger = deps.logger.child({ scope: 'video', videoId, attempt, run });
  const keys = first.encryption ? await mediaKeys.ofRun(job.data) : null;
  // The run's own worker, which may be on this machine, removes the folder.
  const folder = folders.pathOf(job.data);
  await store.withLocalFile(first.sourceKey, async (sourcePath) => {
    space?.fetched();
    let claim: typeof first | null = first;
    for (let made = 1; claim !== null; made += 1) {
      logger.info({ chunk: claim.chunk }, 'helping with a chunk');
      await makeChunk({ ...deps, logger }, claim, { sourcePath, folder, keys, stop: job.signal });
      // Go to the end of the queue, for whichever worker is free then.
      if (made === CHUNKS_AT_A_STRETCH || videoWaits()) return chunks.passOn(job.data);
      claim = await chunks.claimNext(job.data);
    }
  });
}
