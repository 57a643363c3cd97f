import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

import type { Lock, Locker, RequestRelease } from '@tus/server';

import type { UploadLeases } from '../../domain/media/uploads/uploadLeases.js';
import { AppError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import type { UploadRef } from '../../ports/uploadStaging.js';
import { parseUploadKey } from './uploadKey.js';

const RENEW_EVERY_MS = 1000;
const POLL_EVERY_MS = 100;
/** Longer than a lease lasts without renewal (6 s), so that a dead holder never makes its client fail. */
const ACQUIRE_WITHIN_MS = 20_000;
/** Without a renewal for this long, the lease counts as lost: somebody else may have it a moment later. */
const GIVE_UP_AFTER_MS = 4000;

/** Locks for the tus server that hold across processes: a lease on the upload's row, renewed by a heartbeat. */
export class LeaseLocker implements Locker {
  constructor(
    private readonly leases: UploadLeases,
    private readonly logger: Logger,
  ) {}

  newLock(key: string): Lock {
    return new LeaseLock(this.leases, this.logger, parseUploadKey(key));
  }
}

class LeaseLock implements Lock {
  private readonly token = randomUUID();
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(
    private readonly leases: UploadLeases,
    private readonly logger: Logger,
    private readonly ref: UploadRef,
  ) {}

  async lock(signal: AbortSignal, requestRelease: RequestRelease): Promise<void> {
    const deadline = performance.now() + ACQUIRE_WITHIN_MS;
    for (;;) {
      const outcome = await this.leases.acquire(this.ref, this.token);
      if (outcome === 'missing') throw new AppError('NOT_FOUND', 'Upload not found.');
      if (outcome === 'acquired') break;
      if (signal.aborted || performance.now() > deadline) {
        throw new AppError('UPLOAD_BUSY', 'Another connection is sending this file.');
      }
      await wait(POLL_EVERY_MS);
    }
    if (signal.aborted) {
      await this.unlock();
      throw new AppError('UPLOAD_BUSY', 'The request was aborted.');
    }
    this.startHeartbeat(requestRelease);
  }

  async unlock(): Promise<void> {
    clearInterval(this.heartbeat);
    try {
      await this.leases.release(this.ref, this.token);
    } catch (error) {
      // The bytes are safe, and the lease expires by itself.
      this.logger.warn({ scope: 'upload', err: error }, 'upload lease not released');
    }
  }

  private startHeartbeat(requestRelease: RequestRelease): void {
    let renewedAt = performance.now();
    let running = false;
    const beat = async (): Promise<void> => {
      if (running) return;
      running = true;
      try {
        const outcome = await this.leases.renew(this.ref, this.token);
        renewedAt = performance.now();
        if (outcome !== 'kept') await requestRelease();
      } catch (error) {
        this.logger.warn({ scope: 'upload', err: error }, 'upload lease not renewed');
        if (performance.now() - renewedAt > GIVE_UP_AFTER_MS) await requestRelease();
      } finally {
        running = false;
      }
    };
    this.heartbeat = setInterval(() => void beat(), RENEW_EVERY_MS);
    this.heartbeat.unref();
  }
}
