import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';
import { z } from 'zod';

import { connectionTo } from '../../db/connection.js';
import type { Logger } from '../../logger.js';
import type { LiveEvent, LiveEvents } from '../../ports/events.js';
import { EventBuffer } from './eventBuffer.js';

export const EVENTS_CHANNEL = 'dhara_events';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;
/** How often an idle connection is probed, and how long the probe may take. */
const PROBE_EVERY_MS = 15_000;
const PROBE_TIMEOUT_MS = 5_000;

const payloadSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('video'), accountId: z.uuid(), videoId: z.uuid() }),
  z.object({ kind: z.literal('wallet'), accountId: z.uuid() }),
  z.object({ kind: z.literal('event'), accountId: z.uuid() }),
]);

export interface PostgresEventsOptions {
  url: string;
  logger: Logger;
  /** Called with every event, even without subscribers. Some are missing after a lost connection. */
  onEvent?: (event: LiveEvent) => void;
  /** Called whenever it begins to listen, before subscribers get `missed`: events of any account may be missing. */
  onListening?: () => void;
}

/**
 * Live events over LISTEN/NOTIFY, on one dedicated connection per process.
 *
 * A lost connection is retried until it works again. Subscribers stay, and then get `missed`, because notifications
 * sent in between never arrive.
 */
export class PostgresEvents implements LiveEvents {
  readonly #subscribers = new Map<string, Set<EventBuffer>>();
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;

  constructor(private readonly options: PostgresEventsOptions) {}

  /** Begins to listen, without waiting: an unreachable database is retried. */
  start(): void {
    this.#running ??= this.#listenForever();
  }

  /** Ends every subscription and the connection. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const buffer of this.#buffers()) buffer.end();
    await this.#running;
  }

  subscribe(accountId: string, signal: AbortSignal): AsyncIterable<LiveEvent> {
    const ofAccount = this.#subscribers.get(accountId) ?? new Set();
    const stop = () => buffer.end();
    const buffer = new EventBuffer(accountId, () => {
      signal.removeEventListener('abort', stop);
      ofAccount.delete(buffer);
      if (ofAccount.size === 0) this.#subscribers.delete(accountId);
    });
    this.#subscribers.set(accountId, ofAccount.add(buffer));
    signal.addEventListener('abort', stop);
    if (signal.aborted || this.#stopping.signal.aborted) buffer.end();
    return buffer;
  }

  /** Number of live subscriptions, for metrics. */
  get subscriberCount(): number {
    return this.#buffers().length;
  }

  #buffers(): EventBuffer[] {
    return [...this.#subscribers.values()].flatMap((buffers) => [...buffers]);
  }

  async #listenForever(): Promise<void> {
    const { signal } = this.#stopping;
    let retryMs = FIRST_RETRY_MS;
    while (!signal.aborted) {
      try {
        await this.#listenOnce(() => {
          retryMs = FIRST_RETRY_MS;
        });
      } catch (error) {
        this.options.logger.warn({ err: error, retryMs }, 'live events: connection lost');
      }
      await delay(retryMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  }

  /** Returns after `stop`, throws if the connection is lost. */
  async #listenOnce(onListening: () => void): Promise<void> {
    const { signal } = this.#stopping;
    const client = new pg.Client({
      ...connectionTo(this.options.url),
      application_name: 'dhara-events',
      connectionTimeoutMillis: PROBE_TIMEOUT_MS,
      query_timeout: PROBE_TIMEOUT_MS,
      keepAlive: true,
    });
    const lost = Promise.withResolvers<void>();
    // Nothing awaits this promise while connecting; then connect() itself reports the failure.
    lost.promise.catch(() => undefined);
    const onStop = () => lost.resolve();
    signal.addEventListener('abort', onStop);
    client.on('error', lost.reject);
    client.on('end', () => lost.reject(new Error('the connection ended')));
    client.on('notification', ({ payload }) => this.#deliver(payload ?? ''));
    const probe = setInterval(() => void client.query('select 1').catch(lost.reject), PROBE_EVERY_MS);
    try {
      await client.connect();
      await client.query(`listen ${EVENTS_CHANNEL}`);
      onListening();
      this.options.onListening?.();
      for (const [accountId, buffers] of this.#subscribers) {
        for (const buffer of buffers) buffer.push({ kind: 'missed', accountId });
      }
      await lost.promise;
    } finally {
      clearInterval(probe);
      signal.removeEventListener('abort', onStop);
      await client.end().catch(() => undefined);
    }
  }

  #deliver(payload: string): void {
    const event = parseEvent(payload);
    if (event === null) {
      this.options.logger.error({ payload }, 'live events: unknown payload');
      return;
    }
    this.options.onEvent?.(event);
    for (const buffer of this.#subscribers.get(event.accountId) ?? []) buffer.push(event);
  }
}

function parseEvent(payload: string): LiveEvent | null {
  try {
    return payloadSchema.parse(JSON.parse(payload));
  } catch {
    return null;
  }
}
