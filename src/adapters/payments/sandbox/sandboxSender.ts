import { type Database, execute, type Sql } from '../../../db/sql.js';
import type { Logger } from '../../../logger.js';
import type { ProviderName } from '../../../ports/paymentProvider.js';
import { signedHeaders } from './payloads/index.js';
import { DELIVERED, NEXT_DUE, NOT_DELIVERED, type DueRow } from './sandbox.sql.js';

const TIMEOUT_MS = 10_000;
const POLL_MS = 1_000;
const MAX_AT_ONCE = 100;
/** How long each provider retries. */
const GIVE_UP_HOURS: Record<ProviderName, number> = { razorpay: 24, stripe: 72 };

export interface SandboxSenderDeps {
  readonly db: Database;
  readonly logger: Logger;
  readonly secret: string;
  /** The service's address, for a process that does not serve it itself. */
  readonly publicUrl: string;
}

/** Delivers the sandbox's webhooks over HTTP, with retries until they are accepted. */
export class SandboxSender {
  private targetUrl: string;
  private stopping: AbortController | null = null;
  private running: Promise<void> = Promise.resolve();
  private rouse: () => void = () => undefined;

  constructor(private readonly deps: SandboxSenderDeps) {
    this.targetUrl = deps.publicUrl;
  }

  /** Delivers until `stop`. `targetUrl`: this process's own address, without a trailing slash. */
  start(targetUrl: string): void {
    this.stopping?.abort();
    this.rouse();
    this.targetUrl = targetUrl;
    const { signal } = (this.stopping = new AbortController());
    this.running = this.running.then(() => this.run(signal));
  }

  async stop(): Promise<void> {
    this.stopping?.abort();
    this.rouse();
    await this.running;
  }

  /** Something may be due. Returns at once. */
  wake(): void {
    this.rouse();
  }

  /** Delivers what is due by the service's clock. @returns how many were accepted */
  async deliverDue(signal?: AbortSignal): Promise<number> {
    let delivered = 0;
    for (let tried = 0; tried < MAX_AT_ONCE; tried += 1) {
      if (signal?.aborted) break;
      const outcome = await this.deps.db.transaction(({ sql }) => this.deliverNext(sql, signal));
      if (outcome === 'none') break;
      if (outcome === 'delivered') delivered += 1;
    }
    return delivered;
  }

  /** The row stays locked meanwhile: no other process sends it too, and after a crash it is still due. */
  private async deliverNext(sql: Sql, signal?: AbortSignal): Promise<'delivered' | 'failed' | 'none'> {
    const [due] = await execute(sql, NEXT_DUE);
    if (!due) return 'none';
    const status = await this.post(due, signal);
    if (status !== null && status >= 200 && status < 300) {
      await execute(sql, DELIVERED, { id: due.id, status });
      return 'delivered';
    }
    await execute(sql, NOT_DELIVERED, { id: due.id, status, giveUpHours: GIVE_UP_HOURS[due.provider] });
    this.deps.logger.info({ scope: 'payments', type: due.type, status }, 'a sandbox webhook was not accepted');
    return 'failed';
  }

  /** @returns the status; `null` if there was no response */
  private async post(due: DueRow, signal?: AbortSignal): Promise<number | null> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await fetch(`${this.targetUrl}/webhooks/${due.provider}`, {
        method: 'POST',
        headers: signedHeaders(due.provider, { eventId: due.event_id, body: due.body }, this.deps.secret),
        body: due.body,
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      await response.body?.cancel();
      return response.status;
    } catch {
      return null;
    }
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const roused = this.nextTurn();
      try {
        await this.deliverDue(signal);
      } catch (error) {
        this.deps.logger.warn({ scope: 'payments', err: error }, 'could not send sandbox webhooks');
      }
      if (!signal.aborted) await roused;
    }
  }

  /** Resolves when woken, or after a second. Create it before looking for due webhooks, so that no wake is missed. */
  private nextTurn(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      timer.unref();
      this.rouse = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
