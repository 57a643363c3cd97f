import type { Database } from '../../../db/sql.js';
import type { JobQueue, ProcessVideoJob } from '../../../ports/jobQueue.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import type { SealArchive } from '../../../ports/sealArchive.js';
import type { SandboxKind } from '../../../ports/transcoder.js';
import type { UploadStaging } from '../../../ports/uploadStaging.js';
import type { NoticeService } from '../../accounts/notices/notice.service.js';
import type { PaymentInbox } from '../../payments/inbox/inbox.js';
import type { SigningKeys } from '../../playback/signingKeys.js';
import type { Volume } from '../../media/pipeline/admission.js';
import type { AttemptService } from '../../media/pipeline/attempt.service.js';
import type { LeftoversService } from '../../media/pipeline/leftovers.service.js';
import type { LedgerAudit } from '../../ledger/seals/ledgerAudit.js';
import type { OrphanService } from '../../media/objects/orphan.service.js';
import type { RemeasureService } from '../../media/objects/remeasure.service.js';
import type { UploadService } from '../../media/uploads/uploads.js';

type Run = ProcessVideoJob & { readonly run: number };

/** Work folders of the runs on this machine. */
export interface RunFolders {
  list(): Promise<Run[]>;
  touchedAt(run: Run): Promise<Date | null>;
  remove(run: Run): Promise<void>;
}

/** What the doctor examines and repairs with. */
export interface DoctorServices {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly staging: UploadStaging;
  /** Already started. */
  readonly queue: JobQueue;
  readonly workFolders: RunFolders;
  readonly attempts: Pick<AttemptService, 'isHeld'>;
  readonly leftovers: Pick<LeftoversService, 'abandonOrphans' | 'resumeMeasuring' | 'sweepStore'>;
  readonly uploads: Pick<UploadService, 'recoverUploads' | 'expireUploads'>;
  readonly orphans: OrphanService;
  readonly remeasure: Pick<RemeasureService, 'runDue'>;
  readonly paymentInbox: Pick<PaymentInbox, 'drain'>;
  readonly notices: Pick<NoticeService, 'send'>;
  readonly ledgerAudit: Pick<LedgerAudit, 'nightly'>;
  readonly sealArchive: SealArchive;
  readonly playback: { readonly signingKeys: Pick<SigningKeys, 'rotate'> };
  readonly volumes: readonly Volume[];
}

/**
 * Called at the moment of use. If the service cannot be constructed, it throws why, and checks that need only the
 * database still run.
 */
export type Services = () => DoctorServices;

/** The machine the doctor runs on. */
export interface Machine {
  /** Names of migrations that the database has not run. */
  pendingMigrations(): Promise<readonly string[]>;
  nowMs(): number;
  /** Why the replica of DATABASE_READ_URL cannot be read; `null` if it can be, or is not set. */
  replicaFault(): Promise<string | null>;
  /** Finds ffmpeg and its sandbox. @throws with instructions if ffmpeg is missing */
  findSandbox(): Promise<SandboxKind>;
}
