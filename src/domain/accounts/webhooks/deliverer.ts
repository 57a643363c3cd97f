import { type Database, execute, type Sql } from '../../../db/sql.js';
import type { Logger } from '../../../logger.js';
import type { WebhookConnection, WebhookResponse, WebhookSender } from '../../../ports/webhookSender.js';
import { queueNotices } from '../notices/queueNotice.js';
import { eventBody, eventIdOf, eventOf } from '../../shared/events/eventLog.js';
import type { EventType } from '../../shared/events/eventTypes.js';
import { newId } from '../../shared/ids.js';
import {
  DELIVERY_LAG,
  type DueRow,
  type LeasedRow,
  leaseOfAccounts,
  leaseOfAll,
  nextDeliveries,
  type NextParams,
  nextPostponed,
  postponeNew,
  recordFailure,
  recordSuccess,
  releaseEndpoint,
  TEST_EVENT,
} from './delivery.sql.js';
import { MAX_FAILING_SECONDS, MAX_QUIET_SECONDS, pauseSeconds, retrySeconds } from './schedule.js';
import { signedHeaders } from './signature.js';
import type { WebhookSecrets } from './webhookSecrets.js';

/** How long one deliverer has an endpoint: longer than its work on it and one attempt more. */
const LEASE_SECONDS = 30;
/** After this long, other endpoints have their turn. */
const TURN_MS = 10_000;
const BATCH = 10;
/** Endpoints that one process sends to at a time. */
const CONCURRENCY = 128;
const POLL_MS = 2_000;
const USER_AGENT = 'Dhara-Webhooks/1';

export type DeliveryOutcome = 'success' | 'failure';

export interface DelivererDeps {
  readonly db: Database;
  readonly secrets: WebhookSecrets;
  readonly sender: WebhookSender;
  readonly logger: Logger;
  readonly onAttempt?: (outcome: DeliveryOutcome, durationMs: number) => void;
  readonly concurrency?: number;
  readonly pollMs?: number;
}

/**
 * Sends what `append_event` wrote: one delivery at a time to an endpoint, in order, and to many endpoints at once.
 *
 * Any number of processes may run one. A lease on the endpoint's row makes sure that only one of them sends to it; the
 * lease of a process that was killed runs out.
 */
export class WebhookDeliverer {
  readonly #stopping = new AbortController();
  readonly #serving = new Set<Promise<void>>();
  readonly #woken = new Set<string>();
  #pollAt = 0;
  #wakeUp = Promise.withResolvers<void>();
  #running: Promise<void> | null = null;

  constructor(private readonly deps: DelivererDeps) {}

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the requests that are under way. They are not counted as attempts, and are sent again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeUp.resolve();
    await this.#running;
    await Promise.all(this.#serving);
  }

  /** The account may have something to send. */
  wake(accountId: string): void {
    this.#woken.add(accountId);
    this.#wakeUp.resolve();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#wakeUp = Promise.withResolvers<void>();
      try {
        await this.#leaseFree();
      } catch (error) {
        this.deps.logger.warn({ scope: 'webhook', err: error }, 'could not look for webhooks to send');
        this.#pollAt = Date.now() + this.#pollMs;
      }
      // While it can take no more, it waits for one that has ended.
      const waitMs = this.#free > 0 ? Math.max(this.#pollAt - Date.now(), 0) : this.#pollMs;
      const timer = setTimeout(this.#wakeUp.resolve, waitMs);
      await this.#wakeUp.promise;
      clearTimeout(timer);
    }
  }

  get #pollMs(): number {
    return this.deps.pollMs ?? POLL_MS;
  }

  get #free(): number {
    return (this.deps.concurrency ?? CONCURRENCY) - this.#serving.size;
  }

  /** Of accounts that have something new, or of all when it is time to look for what is due again. */
  async #leaseFree(): Promise<void> {
    const max = this.#free;
    if (max <= 0) return;
    const isPoll = Date.now() >= this.#pollAt;
    const accountIds = [...this.#woken];
    if (!isPoll && accountIds.length === 0) return;
    this.#woken.clear();
    if (isPoll) this.#pollAt = Date.now() + this.#pollMs;
    const { sql } = this.deps.db;
    const lease = { max, seconds: LEASE_SECONDS, maxQuietSeconds: MAX_QUIET_SECONDS };
    const leased = isPoll
      ? await execute(sql, leaseOfAll, lease)
      : await execute(sql, leaseOfAccounts, { ...lease, accountIds });
    // There may be more than this process can take now.
    if (leased.length === max) this.#pollAt = 0;
    for (const endpoint of leased) {
      const serving = this.#serve(endpoint).finally(() => {
        this.#serving.delete(serving);
        this.#wakeUp.resolve();
      });
      this.#serving.add(serving);
    }
  }

  async #serve(endpoint: LeasedRow): Promise<void> {
    const { account_id: accountId, id: endpointId, lease_until: lease } = endpoint;
    const connection = this.deps.sender.open();
    try {
      await this.#sendInOrder(endpoint, connection);
      await execute(this.deps.db.sql, releaseEndpoint, { accountId, endpointId, lease });
      // What was written meanwhile found the endpoint leased.
      this.#woken.add(accountId);
    } catch (error) {
      // The lease runs out by itself: tried again at once, the same would fail the same way.
      this.deps.logger.warn({ scope: 'webhook', accountId, endpointId, err: error }, 'could not send webhooks');
    } finally {
      connection.close();
    }
  }

  /** Until nothing is due, an attempt fails, or others must have their turn. */
  async #sendInOrder(endpoint: LeasedRow, connection: WebhookConnection): Promise<void> {
    const { db, secrets } = this.deps;
    const { account_id: accountId, id: endpointId, lease_until: lease } = endpoint;
    const keys = await secrets.signing(db.sql, accountId, endpointId);
    const endsAt = performance.now() + TURN_MS;
    // One probe is enough to learn whether an endpoint still fails.
    let max = endpoint.failing_since === null ? BATCH : 1;
    let { failures } = endpoint;
    const { test_fault: fault } = endpoint;
    for (;;) {
      const due = await this.#nextOf({ accountId, endpointId, lease, max }, fault);
      for (const delivery of fault === 'OUT_OF_ORDER' ? due.toReversed() : due) {
        if (this.#stopping.signal.aborted || performance.now() > endsAt) return;
        if (!(await this.#attempt({ ...endpoint, failures }, keys, delivery, connection))) return;
        failures = 0;
        // The delivery has succeeded. A failure now counts against the endpoint, as any.
        if (fault === 'TWICE' && !(await this.#attempt(endpoint, keys, delivery, connection))) return;
      }
      if (due.length < max) return;
      max = BATCH;
    }
  }

  async #nextOf(next: NextParams, fault: LeasedRow['test_fault']): Promise<DueRow[]> {
    const { sql } = this.deps.db;
    if (fault !== 'LATE' && fault !== 'OUT_OF_ORDER') return execute(sql, nextDeliveries, next);
    await execute(sql, postponeNew, { accountId: next.accountId, endpointId: next.endpointId, fault });
    return execute(sql, nextPostponed, { ...next, fault });
  }

  /** @returns whether it was delivered */
  async #attempt(
    endpoint: LeasedRow,
    keys: readonly Buffer[],
    delivery: DueRow,
    connection: WebhookConnection,
  ): Promise<boolean> {
    const { account_id: accountId, id: endpointId, url } = endpoint;
    const eventId = eventIdOf(delivery.event_id);
    const body = bodyOf(endpoint, delivery);
    const response =
      body === null
        ? NO_LONGER_KEPT
        : await connection.post(
            {
              url,
              headers: {
                'content-type': 'application/json',
                'user-agent': USER_AGENT,
                ...signedHeaders(keys, eventId, body, new Date()),
              },
              body,
            },
            this.#stopping.signal,
          );
    if (this.#stopping.signal.aborted && response.status === null) return false;
    const { status, durationMs } = response;
    const error = errorOf(response);
    this.deps.onAttempt?.(error === null ? 'success' : 'failure', durationMs);
    const attempt = {
      accountId,
      endpointId,
      createdAt: delivery.created_at,
      eventId: delivery.event_id,
      attempts: delivery.attempts,
      attemptId: newId(),
      url,
      status,
      durationMs: Math.round(durationMs),
      answer: response.body,
    };
    if (error === null) {
      await execute(this.deps.db.sql, recordSuccess, attempt);
      return true;
    }
    await this.deps.db.transaction(async ({ sql }) => {
      const [disabled] = await execute(sql, recordFailure, {
        ...attempt,
        lease: endpoint.lease_until,
        error,
        retrySeconds: body === null ? null : retrySeconds(delivery.attempts + 1),
        pauseSeconds: pauseSeconds(endpoint.failures + 1),
        wasSent: body !== null,
        isGone: status === GONE,
        maxFailingSeconds: MAX_FAILING_SECONDS,
      });
      if (!disabled) return;
      const at = new Date(disabled.disabled_at).toISOString();
      const reason = disabled.disabled_reason === 'gone' ? 'gone' : 'failing';
      await queueNotices(sql, [
        { accountId, key: `webhook:disabled:${endpointId}:${at}`, kind: 'webhook.disabled', data: { url, reason } },
      ]);
    });
    return false;
  }
}

export interface DeliveryLag {
  /** How long the oldest delivery has waited that nothing holds up. */
  readonly lagSeconds: number;
  readonly failingEndpoints: number;
  /** By the service. */
  readonly disabledEndpoints: number;
}

/** Of all processes. */
export async function deliveryLag(sql: Sql): Promise<DeliveryLag> {
  const [row] = await execute(sql, DELIVERY_LAG);
  return { lagSeconds: row!.lag_seconds, failingEndpoints: row!.failing, disabledEndpoints: row!.disabled };
}

const GONE = 410;
const NO_LONGER_KEPT: WebhookResponse = { status: null, error: 'The event is no longer kept', durationMs: 0, body: '' };

/** `null` if the event is no longer kept. The same event is the same text in every attempt. */
function bodyOf(
  endpoint: LeasedRow,
  { event_id: id, type, created_at, livemode, version, data }: DueRow,
): string | null {
  if (type === TEST_EVENT) {
    return JSON.stringify({
      id: eventIdOf(id),
      type,
      version: 1,
      timestamp: new Date(created_at).toISOString(),
      livemode,
      data: { endpointId: endpoint.id },
    });
  }
  if (version === null || data === null) return null;
  return eventBody(eventOf({ id, seq: '0', type: type satisfies EventType, version, created_at, livemode, data }));
}

/** `null` for a success, which is 2xx alone. */
function errorOf({ status, error }: WebhookResponse): string | null {
  if (status === null) return error ?? 'No response';
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `HTTP ${status}: redirects are not followed`;
  return `HTTP ${status}`;
}
