import { join } from 'node:path';

import { NO_SANDBOX } from '../adapters/transcode/sandbox/detectSandbox.js';
import { PostgresEvents } from '../adapters/events/postgresEvents.js';
import { createFfmpegTranscoder } from '../adapters/transcode/ffmpegTranscoder.js';
import { ConfigError } from '../config/config.js';
import { isConfined, type Transcoder } from '../ports/transcoder.js';
import { watchMoney } from '../api/http/countedMetrics.js';
import type { HttpMetrics } from '../api/http/metrics.js';
import { MICROS_PER_CREDIT } from '../domain/ledger/credits.js';
import { heldInEscrow } from '../domain/ledger/escrow.js';
import { lastBackupAgeSeconds } from '../domain/operations/backups/backup.sql.js';
import { deliveryLag, WebhookDeliverer } from '../domain/accounts/webhooks/deliverer.js';
import type { Logger } from '../logger.js';
import { createWorker } from '../worker/createWorker.js';
import { ownConcurrency, ownMemoryBytes } from './machine.js';
import { minuteChores, nightChores } from './chores.js';
import type { AppOptions, End } from './options.js';
import type { Services } from './services.js';

/** Looks for ffmpeg and tests it, in separate processes. If started early, this does not delay the start. */
export function openTranscoder({ config }: AppOptions): Promise<Transcoder> {
  const transcoder = createFfmpegTranscoder({ ffmpegPath: config.FFMPEG_PATH, searchPath: config.PATH });
  // Callers that await it get the error. A start that fails earlier has reported its own reason.
  transcoder.catch(() => undefined);
  return transcoder;
}

/** Takes jobs. Returns a function that stops it. @throws ConfigError in production if ffmpeg cannot be sandboxed */
export async function startWorker(
  { config, logger, runtimeUrl }: AppOptions,
  services: Services,
  opening: Promise<Transcoder>,
  metrics: HttpMetrics,
): Promise<End> {
  const transcoder = await opening;
  const sandbox = transcoder.describeSandbox();
  if (!isConfined(sandbox) && config.NODE_ENV === 'production') {
    throw new ConfigError(NO_SANDBOX);
  }
  logger.info({ scope: 'job', sandbox }, 'ffmpeg sandbox');
  if (!transcoder.canToneMap()) {
    logger.warn(
      { scope: 'job' },
      'This ffmpeg lacks the zscale or the tonemap filter: HDR videos will look washed out.',
    );
  }
  const worker = createWorker({
    ...services,
    jobs: services.queue,
    transcoder,
    minuteChores: minuteChores(services),
    nightChores: nightChores(services),
    onEnded: metrics.watchProcessing(),
    logger,
    workDir: join(services.dataDir, 'work'),
    concurrency: config.WORKER_CONCURRENCY ?? ownConcurrency(),
    memoryBytes: config.WORKER_MEMORY_BYTES ?? ownMemoryBytes(),
    chunksFromSeconds: config.CHUNKS_FROM_SECONDS,
    chunkSeconds: config.CHUNK_SECONDS,
  });
  metrics.watchService({
    backlog: () => services.queue.backlog(),
    openAlerts: () => services.alerts.countOpen(),
    lastBackupAgeSeconds: () => lastBackupAgeSeconds(services.db.sql),
  });
  watchMoney(metrics.registry, {
    escrowCredits: async () => Number(await heldInEscrow(services.db.sql)) / Number(MICROS_PER_CREDIT),
    nightLagSeconds: () => services.storage.lagSeconds(),
  });
  await worker.start();
  const endWebhooks = startDeliverer(runtimeUrl, services, logger, metrics);
  return async () => {
    await Promise.all([worker.stop(), endWebhooks()]);
  };
}

/** Sends webhooks, as soon as an event is written. */
function startDeliverer(runtimeUrl: string, services: Services, logger: Logger, metrics: HttpMetrics): End {
  const { db, webhookSecrets: secrets, webhookSender: sender } = services;
  const deliverer = new WebhookDeliverer({
    db,
    secrets,
    sender,
    logger,
    onAttempt: metrics.watchWebhooks(() => deliveryLag(db.sql)),
  });
  const events = new PostgresEvents({
    url: runtimeUrl,
    logger,
    onEvent: (event) => event.kind === 'event' && deliverer.wake(event.accountId),
  });
  events.start();
  deliverer.start();
  return async () => {
    await Promise.all([deliverer.stop(), events.stop()]);
  };
}
