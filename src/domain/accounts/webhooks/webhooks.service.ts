import { type Database, execute, type Transaction, type NoParams, type Sql, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { type WebhookSender, WebhookAddressError } from '../../../ports/webhookSender.js';
import { checkedLine } from '../../../readableText.js';
import { lockAccount } from '../keys/apiKey.sql.js';
import { askForFault, type WebhookFault } from '../testMode/testFaults.js';
import { type AuditAction, recordAudit } from '../../shared/audit.js';
import { EVENT_DAYS } from '../../shared/events/event.sql.js';
import { eventIdOf, uuidOfEvent } from '../../shared/events/eventLog.js';
import { isDay } from '../../shared/day.js';
import { ALL_EVENT_TYPES, type EventType } from '../../shared/events/eventTypes.js';
import { isUuid, newId } from '../../shared/ids.js';
import {
  type DeliveryState,
  findDelivery,
  insertTest,
  listAttempts,
  listDeliveries,
  replayOne,
  replayRange,
  wakeDeliverers,
} from './delivery.sql.js';
import {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  endCurrentSecret,
  findEndpoint,
  forgetPreviousSecret,
  insertEndpoint,
  listEndpoints,
  lockEndpoint,
  resumeEndpoint,
  updateEndpoint,
} from './endpoint.sql.js';
import { type Attempt, attemptOf, type Delivery, deliveryOf, type Endpoint, endpointOf } from './webhookRecords.js';
import type { WebhookSecrets } from './webhookSecrets.js';

const MAX_ENDPOINTS = 20;
const MAX_DESCRIPTION_LENGTH = 200;
const MAX_PREVIOUS_HOURS = 168;
const MAX_REPLAYED = 10_000;
const NUMBER = /^\d{1,18}$/;

export interface EndpointInput {
  readonly url: string;
  readonly description: string;
  /** `null` for all. */
  readonly eventTypes: readonly EventType[] | null;
}

export interface Page {
  readonly first: number;
  readonly after: string | null;
}

export interface ReplayRange {
  readonly since: Date;
  readonly until: Date;
  /** Those that have arrived, too. */
  readonly includeDelivered: boolean;
}

/** The endpoints of owners, what was sent to them, and sending it again. `WebhookDeliverer` sends. */
export class WebhookService {
  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly secrets: WebhookSecrets;
      readonly sender: Pick<WebhookSender, 'check'>;
    },
    /** How many days deliveries and attempts are kept. */
    private readonly keepDays = EVENT_DAYS,
  ) {}

  /**
   * The secret is shown to its owner now and can never be read again.
   *
   * @throws INVALID_INPUT, LIMIT_REACHED with 20 endpoints, ACCOUNT_SUSPENDED
   */
  async create(
    accountId: string,
    input: EndpointInput,
    actorId: string | null = null,
    testFault: WebhookFault | null = null,
  ): Promise<{ endpoint: Endpoint; secret: string }> {
    const values = await this.checked(input);
    const id = newId();
    return this.deps.db.transaction(async (tx) => {
      const { sql } = tx;
      const [account] = await execute(sql, lockAccount, { accountId });
      if (!account) throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
      if (account.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
      const [row] = await execute(sql, insertEndpoint, { accountId, id, ...values, max: MAX_ENDPOINTS });
      if (!row) throw new AppError('LIMIT_REACHED', `An account has at most ${MAX_ENDPOINTS} webhook endpoints.`);
      await askForFault(sql, { accountId, subjectId: id, fault: testFault });
      await audit(tx, { accountId, id, actorId }, 'webhook_endpoint.create', { url: values.url });
      return { endpoint: endpointOf(row), secret: await this.deps.secrets.create(sql, accountId, id) };
    });
  }

  /** Oldest first. */
  async list(accountId: string): Promise<Endpoint[]> {
    return (await execute(this.deps.db.sql, listEndpoints, { accountId })).map(endpointOf);
  }

  /** @throws WEBHOOK_ENDPOINT_NOT_FOUND */
  async get(accountId: string, id: string): Promise<Endpoint> {
    const [row] = isUuid(id) ? await execute(this.deps.db.sql, findEndpoint, { accountId, id }) : [];
    return endpointOf(row ?? missing());
  }

  /** Changes what is given. @throws INVALID_INPUT, WEBHOOK_ENDPOINT_NOT_FOUND */
  async update(
    accountId: string,
    id: string,
    changes: Partial<EndpointInput>,
    actorId: string | null = null,
  ): Promise<Endpoint> {
    const { url, description, eventTypes } = { ...(await this.get(accountId, id)), ...changes };
    const checked = await this.checked({ url, description, eventTypes });
    return this.deps.db.transaction(async (tx) => {
      // What is not changed is not written either: another change may have come in between.
      const [row] = await execute(tx.sql, updateEndpoint, {
        accountId,
        id,
        url: changes.url === undefined ? null : checked.url,
        description: changes.description === undefined ? null : checked.description,
        setsTypes: changes.eventTypes !== undefined,
        eventTypes: checked.eventTypes,
      });
      if (!row) missing();
      const details = { url: row.url, description: row.description, eventTypes: row.event_types?.join(', ') ?? 'all' };
      await audit(tx, { accountId, id, actorId }, 'webhook_endpoint.update', details);
      return endpointOf(row);
    });
  }

  /** What was waiting when it was disabled is sent once it is enabled. @throws WEBHOOK_ENDPOINT_NOT_FOUND */
  async setEnabled(
    accountId: string,
    id: string,
    isEnabled: boolean,
    actorId: string | null = null,
  ): Promise<Endpoint> {
    if (!isUuid(id)) missing();
    return this.deps.db.transaction(async (tx) => {
      const { sql } = tx;
      const [row] = await execute(sql, isEnabled ? enableEndpoint : disableEndpoint, { accountId, id });
      if (!row) missing();
      if (isEnabled) await execute(sql, wakeDeliverers, { accountId });
      const action = isEnabled ? 'webhook_endpoint.enable' : 'webhook_endpoint.disable';
      await audit(tx, { accountId, id, actorId }, action, { url: row.url });
      return endpointOf(row);
    });
  }

  /** Its log goes later: see `forgetDeletedEndpoints`. @throws WEBHOOK_ENDPOINT_NOT_FOUND */
  async delete(accountId: string, id: string, actorId: string | null = null): Promise<void> {
    if (!isUuid(id)) missing();
    await this.deps.db.transaction(async (tx) => {
      const [row] = await execute(tx.sql, deleteEndpoint, { accountId, id });
      if (!row) missing();
      await audit(tx, { accountId, id, actorId }, 'webhook_endpoint.delete', { url: row.url });
    });
  }

  /**
   * Makes a new secret. The one so far signs beside it for `previousValidHours`; one that was still valid from before ends.
   *
   * @throws INVALID_INPUT, WEBHOOK_ENDPOINT_NOT_FOUND
   */
  async rotateSecret(
    accountId: string,
    id: string,
    previousValidHours: number,
    actorId: string | null = null,
  ): Promise<string> {
    if (!Number.isInteger(previousValidHours) || previousValidHours < 0 || previousValidHours > MAX_PREVIOUS_HOURS) {
      throw new AppError('INVALID_INPUT', `previousValidHours is 0 to ${MAX_PREVIOUS_HOURS}.`);
    }
    if (!isUuid(id)) missing();
    return this.deps.db.transaction(async (tx) => {
      const { sql } = tx;
      const rows = await execute(sql, lockEndpoint, { accountId, id });
      if (rows.length === 0) missing();
      await audit(tx, { accountId, id, actorId }, 'webhook_endpoint.rotate_secret', { previousValidHours });
      await execute(sql, forgetPreviousSecret, { accountId, endpointId: id });
      await execute(sql, endCurrentSecret, { accountId, endpointId: id, hours: previousValidHours });
      return this.deps.secrets.create(sql, accountId, id);
    });
  }

  /** Sends a test event to this endpoint alone. @throws WEBHOOK_ENDPOINT_NOT_FOUND, INVALID_STATE while it is disabled */
  async test(accountId: string, id: string): Promise<Delivery> {
    return this.sendNow(accountId, id, async ({ sql }) => {
      const [row] = await execute(sql, insertTest, { accountId, endpointId: id, eventId: crypto.randomUUID() });
      return deliveryOf(row!);
    });
  }

  /** Sends one again. @throws NOT_FOUND, WEBHOOK_ENDPOINT_NOT_FOUND, INVALID_STATE while the endpoint is disabled */
  async replay(accountId: string, id: string, deliveryId: string, actorId: string | null = null): Promise<Delivery> {
    const { keepDays } = this;
    return this.sendNow(accountId, id, async (tx) => {
      const { sql } = tx;
      const [row] = NUMBER.test(deliveryId)
        ? await execute(sql, replayOne, { accountId, endpointId: id, number: deliveryId, keepDays })
        : [];
      if (!row) noDelivery();
      const details = { event: eventIdOf(row.event_id) };
      await audit(tx, { accountId, id, actorId }, 'webhook_endpoint.replay', details);
      return deliveryOf(row);
    });
  }

  /**
   * Sends the events of a time, in their order: those that were not delivered, or all. What is waiting anyway is left
   * alone. Events from before the endpoint existed, or while it was disabled, are included.
   *
   * @returns how many
   * @throws INVALID_INPUT for a range with more than 10,000, WEBHOOK_ENDPOINT_NOT_FOUND, INVALID_STATE
   */
  async replayRange(
    accountId: string,
    id: string,
    { since, until, includeDelivered }: ReplayRange,
    actorId: string | null = null,
  ): Promise<number> {
    return this.sendNow(accountId, id, async (tx) => {
      const { sql } = tx;
      if (!(since < until)) throw new AppError('INVALID_INPUT', 'since must be before until.');
      const rows = await execute(sql, replayRange, {
        accountId,
        endpointId: id,
        since: since.toISOString(),
        until: until.toISOString(),
        includeDelivered,
        keepDays: this.keepDays,
        max: MAX_REPLAYED + 1,
      });
      if (rows.length > MAX_REPLAYED) {
        throw new AppError('INVALID_INPUT', `This range has more than ${MAX_REPLAYED} events. Choose a shorter one.`);
      }
      const details = { since: since.toISOString(), until: until.toISOString(), includeDelivered, events: rows.length };
      await audit(tx, { accountId, id, actorId }, 'webhook_endpoint.replay', details);
      return rows.length;
    });
  }

  /** Newest first. @throws INVALID_INPUT for a cursor that is not ours, WEBHOOK_ENDPOINT_NOT_FOUND */
  async deliveries(accountId: string, id: string, asked: Page & { state: DeliveryState | null }): Promise<Delivery[]> {
    const { first, after: before, state } = asked;
    if (before !== null && !NUMBER.test(before)) throw new AppError('INVALID_INPUT', 'after: invalid cursor.');
    await this.get(accountId, id);
    const { keepDays } = this;
    const page = { accountId, endpointId: id, before, state, first, keepDays };
    const rows = await execute(this.deps.db.sql, listDeliveries, page);
    return rows.map(deliveryOf);
  }

  /** @throws NOT_FOUND, WEBHOOK_ENDPOINT_NOT_FOUND */
  async delivery(accountId: string, id: string, deliveryId: string): Promise<Delivery> {
    await this.get(accountId, id);
    const { keepDays } = this;
    const [row] = NUMBER.test(deliveryId)
      ? await execute(this.deps.db.sql, findDelivery, { accountId, endpointId: id, number: deliveryId, keepDays })
      : [];
    return deliveryOf(row ?? noDelivery());
  }

  /** Newest first. @throws INVALID_INPUT for a cursor that is not ours, NOT_FOUND, WEBHOOK_ENDPOINT_NOT_FOUND */
  async attempts(accountId: string, id: string, deliveryId: string, { first, after }: Page): Promise<Attempt[]> {
    const [beforeTime, beforeId] = after === null ? [null, null] : attemptCursor(after);
    const { eventId } = await this.delivery(accountId, id, deliveryId);
    const rows = await execute(this.deps.db.sql, listAttempts, {
      accountId,
      endpointId: id,
      eventId: uuidOfEvent(eventId)!,
      beforeTime,
      beforeId,
      first,
      keepDays: this.keepDays,
    });
    return rows.map(attemptOf);
  }

  private async sendNow<T>(accountId: string, id: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (!isUuid(id)) missing();
    return this.deps.db.transaction(async (tx) => {
      const { sql } = tx;
      const rows = await execute(sql, resumeEndpoint, { accountId, id });
      if (rows.length === 0) {
        const [endpoint] = await execute(sql, findEndpoint, { accountId, id });
        if (!endpoint) missing();
        throw new AppError('INVALID_STATE', 'This webhook endpoint is disabled. Enable it first.');
      }
      const result = await work(tx);
      await execute(sql, wakeDeliverers, { accountId });
      return result;
    });
  }

  private async checked({ url, description, eventTypes }: EndpointInput): Promise<EndpointInput> {
    if (eventTypes?.length === 0) throw new AppError('INVALID_INPUT', 'Choose at least one event type, or all.');
    return {
      url: await this.checkedUrl(url),
      description: checkedLine('A description', description, { max: MAX_DESCRIPTION_LENGTH }),
      eventTypes: eventTypes && ALL_EVENT_TYPES.filter((type) => eventTypes.includes(type)),
    };
  }

  private async checkedUrl(url: string): Promise<string> {
    try {
      return await this.deps.sender.check(url);
    } catch (error) {
      if (error instanceof WebhookAddressError) throw new AppError('INVALID_INPUT', error.message, { cause: error });
      throw error;
    }
  }
}

/** The owner's own actions, which need no reason. `actorId` is the user; `null` for the command line. */
async function audit(
  tx: Transaction,
  { accountId, id, actorId }: { accountId: string; id: string; actorId: string | null },
  action: AuditAction,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordAudit(tx, { accountId, actorId, action, subject: id, reason: 'By the owner.', details });
}

function missing(): never {
  throw new AppError('WEBHOOK_ENDPOINT_NOT_FOUND', 'Webhook endpoint not found.');
}

function noDelivery(): never {
  throw new AppError('NOT_FOUND', 'Delivery not found.');
}

const CLOCK = /^ ([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?\+00$/;

/** The time is as PostgreSQL writes it, to the microsecond. */
function attemptCursor(text: string): [time: string, id: string] {
  const [time = '', id = ''] = text.split('_');
  if (!isDay(time.slice(0, 10)) || !CLOCK.test(time.slice(10)) || !isUuid(id)) {
    throw new AppError('INVALID_INPUT', 'after: invalid cursor.');
  }
  return [time, id];
}

const FORGOTTEN_AT_ONCE = 5_000;

const FORGET_LOG = statement<NoParams, { removed: number | null }>(
  'webhook-forget-log',
  `select forget_webhook_log(${FORGOTTEN_AT_ONCE}) as removed`,
);

/**
 * Deletes the deliveries and attempts of endpoints that were deleted more than an hour ago, in batches.
 *
 * @returns how many rows
 */
export async function forgetDeletedEndpoints(sql: Sql, signal?: AbortSignal): Promise<number> {
  let count = 0;
  for (;;) {
    signal?.throwIfAborted();
    const [row] = await execute(sql, FORGET_LOG);
    if (row!.removed === null) return count;
    count += row!.removed;
  }
}
