import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { ALL_EVENT_TYPES } from '../../domain/shared/events/eventTypes.js';
import { SECRET_PREFIX, signedHeaders } from '../../domain/accounts/webhooks/signature.js';
import { reach, type OwnerApi } from './api.js';
import { IN_TEST_MODE, type Invocation, type OwnerCommand } from './command.js';
import { NotLoggedInError, ServiceError } from './errors.js';
import { minute } from './output.js';
import { collect, type Page } from './pages.js';
import { UsageError } from '../usageError.js';

const RECONNECT_MS = 1_000;
/** The service restarts, or its database does. */
const IS_TEMPORARY = new Set(['NETWORK', 'SERVICE_UNAVAILABLE']);

export const EVENTS = `query ($first: Int!, $after: String, $types: [EventType!]) {
  events(first: $first, after: $after, types: $types) {
    edges { cursor node { payload cursor } }
    pageInfo { endCursor hasNextPage }
  }
}`;
export const EVENT_ADDED = `subscription ($after: String, $types: [EventType!]) {
  eventAdded(after: $after, types: $types) { payload cursor }
}`;

/** As the service sends it. */
interface EventRow {
  readonly cursor: string;
  /** JSON: `id`, `type`, `version`, `timestamp`, `livemode` and `data`. */
  readonly payload: string;
}

interface Event {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface EventPage {
  readonly events: Page<EventRow>;
}

export const events: OwnerCommand = {
  name: 'events',
  positionals: [],
  options: { ...IN_TEST_MODE, follow: { type: 'boolean' }, types: { type: 'string' }, limit: { type: 'string' } },
  choices: { types: ALL_EVENT_TYPES },
  summary: 'lists what happened, newest first [--follow: shows new events as they come --types TYPE,… --limit N]',
  async run({ options, output, api }: Invocation): Promise<void> {
    const types = typesOf(options['types']);
    if (options['follow'] === true) {
      if (options['limit'] !== undefined) throw new UsageError('--limit is for the events so far, without --follow.');
      for await (const { payload } of follow(await api(), types)) {
        const event = JSON.parse(payload) as Event;
        output.line(event, lineOf(event));
      }
      return;
    }
    const rows = await collect(
      { options, api },
      async (service, position) => (await service.ask<EventPage>(EVENTS, { ...position, types })).events,
    );
    const found = rows.map(({ payload }) => JSON.parse(payload) as Event);
    output.table(
      found,
      ['WHEN (UTC)', 'TYPE', 'ID', 'WHAT'],
      found.map((event) => [minute(event.timestamp), event.type, event.id, subjectOf(event)]),
      'No events.',
    );
  },
};

export const listen: OwnerCommand = {
  name: 'listen',
  positionals: [],
  options: { ...IN_TEST_MODE, forward: { type: 'string' }, types: { type: 'string' }, secret: { type: 'string' } },
  choices: { types: ALL_EVENT_TYPES },
  summary: 'posts new events to a program on this machine, signed --forward URL [--types TYPE,… --secret whsec_…]',
  async run({ options, output, api }: Invocation): Promise<void> {
    const url = URL.parse(typeof options['forward'] === 'string' ? options['forward'] : '');
    if (url === null || !/^https?:$/.test(url.protocol))
      throw new UsageError('--forward takes an address such as http://…');
    const secret = secretOf(options['secret']);
    const types = typesOf(options['types']);
    const service = await api();
    output.line({ forward: url.href, secret }, `Forwarding events to ${url.href}, signed with ${secret}`);
    for await (const { payload } of follow(service, types)) {
      const event = JSON.parse(payload) as Event;
      const status = await post(url, event.id, payload, secret);
      output.line({ ...event, status }, `${lineOf(event)}  ${status}`);
    }
  },
};

/**
 * New events, from now on. Resumes a lost connection after the last event, so that none is missed.
 *
 * @throws NotLoggedInError; ServiceError if the service refuses
 */
async function* follow(service: OwnerApi, types: readonly string[] | undefined): AsyncGenerator<EventRow> {
  const newest = await service.ask<EventPage>(EVENTS, { first: 1 });
  let after = newest.events.edges[0]?.node.cursor ?? '0';
  for (;;) {
    try {
      for await (const row of service.subscribe<{ eventAdded: EventRow }>(EVENT_ADDED, { after, types })) {
        yield row.eventAdded;
        after = row.eventAdded.cursor;
      }
    } catch (error) {
      if (error instanceof NotLoggedInError) throw error;
      if (error instanceof ServiceError && !IS_TEMPORARY.has(error.code)) throw error;
    }
    await delay(RECONNECT_MS);
  }
}

/** `video.ready,video.failed` in GraphQL's spelling. @throws UsageError */
function typesOf(option: string | boolean | undefined): string[] | undefined {
  if (typeof option !== 'string') return undefined;
  return option.split(',').map((text) => {
    const type = text.trim();
    if (!ALL_EVENT_TYPES.some((known) => known === type)) {
      throw new UsageError(`--types: there is no event type “${type}”. The types are ${ALL_EVENT_TYPES.join(', ')}.`);
    }
    return type.replaceAll('.', '_').toUpperCase();
  });
}

function secretOf(option: string | boolean | undefined): string {
  if (option === undefined) return `${SECRET_PREFIX}${randomBytes(24).toString('base64')}`;
  if (typeof option === 'string' && /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(option)) return option;
  throw new UsageError('--secret takes whsec_ and base64.');
}

/**
 * Posts by Standard Webhooks.
 * @returns the status, or why there was none: an unreachable program does not stop the command
 */
async function post(url: URL, id: string, body: string, secret: string): Promise<string> {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  try {
    const res = await reach(url.href, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        ...signedHeaders([key], id, body, new Date()),
      },
      body,
    });
    await res.body?.cancel();
    return String(res.status);
  } catch (error) {
    return error instanceof ServiceError ? error.message : String(error);
  }
}

function lineOf(event: Event): string {
  return `${event.timestamp}  ${event.type}  ${subjectOf(event)}`;
}

/** The subject of the event, if it fits in a line. */
function subjectOf({ data }: Event): string {
  const subject = data['videoId'] ?? data['keyId'] ?? data['topUpId'] ?? '';
  return typeof subject === 'string' ? subject : '';
}
