import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Client } from '../../support/graphql/client.js';
import { GraphqlService } from './service.js';

const FIELDS = 'id type version createdAt payload cursor';

describe('the event log over GraphQL', () => {
  let service: GraphqlService;
  let owner: Client;
  let other: Client;

  beforeAll(async () => {
    service = await GraphqlService.start({ streams: { heartbeatMs: 100, pauseMs: 0, maxPerAccount: 3 } });
    owner = await service.signedIn('owner@example.com');
    other = await service.signedIn('other@example.com');
  });
  afterAll(() => service.stop());

  const createKey = async (client: Client, name: string) =>
    (await client.data(`mutation { createApiKey(name: "${name}") { apiKey { id } } }`)).createApiKey.apiKey
      .id as string;

  it('lists events of the account by page, newest first, with the whole event as JSON', async () => {
    const id = await createKey(owner, 'One');
    await owner.data(`mutation { revokeApiKey(id: "${id}") { id } }`);
    const { events } = await owner.data(
      `{ events(first: 1) { edges { cursor node { ${FIELDS} } } pageInfo { hasNextPage endCursor } } }`,
    );
    expect(events.pageInfo.hasNextPage).toBe(true);
    const [{ node }] = events.edges;
    expect(node).toMatchObject({ type: 'KEY_REVOKED', version: 1 });
    expect(JSON.parse(node.payload)).toEqual({
      id: node.id,
      type: 'key.revoked',
      version: 1,
      timestamp: node.createdAt,
      livemode: true,
      data: { keyId: id, name: 'One', prefix: expect.any(String), last4: expect.any(String) },
    });
    const next = await owner.data(
      `{ events(first: 5, after: "${events.pageInfo.endCursor}", types: [KEY_CREATED]) { edges { node { type } } } }`,
    );
    expect(next.events.edges).toEqual([{ node: { type: 'KEY_CREATED' } }]);
    expect((await other.data('{ events { edges { node { id } } } }')).events.edges).toEqual([]);
    expect((await other.data(`{ event(id: "${node.id}") { id } }`)).event).toBeNull();
    expect((await owner.data(`{ event(id: "${node.id}") { id } }`)).event).toEqual({ id: node.id });
  });

  it('streams new events of the requested types, and resumes after a cursor', async () => {
    const stream = await owner.subscribe(`subscription { eventAdded(types: [KEY_CREATED]) { ${FIELDS} } }`);
    const [id] = await Promise.all([createKey(owner, 'Two'), createKey(other, 'Theirs')]);
    await owner.data(`mutation { revokeApiKey(id: "${id}") { id } }`);
    await createKey(owner, 'Three');
    const names: string[] = [];
    let cursor = '';
    while (names.length < 2) {
      const { eventAdded } = await stream.data();
      names.push(JSON.parse(eventAdded.payload).data.name);
      cursor = names.length === 1 ? eventAdded.cursor : cursor;
    }
    expect(names).toEqual(['Two', 'Three']);
    stream.leave();

    const resumed = await owner.subscribe('subscription ($after: String) { eventAdded(after: $after) { type } }', {
      after: cursor,
    });
    expect([(await resumed.data()).eventAdded.type, (await resumed.data()).eventAdded.type]).toEqual([
      'KEY_REVOKED',
      'KEY_CREATED',
    ]);
    resumed.leave();
  });

  it('does not read the log again for a stream of a rare type', async () => {
    const { eventLog } = service.services;
    const page = eventLog.page.bind(eventLog);
    const read: (string | null)[] = [];
    eventLog.page = (accountId, wanted) => {
      if (wanted.types?.includes('key.revoked')) read.push(wanted.after);
      return page(accountId, wanted);
    };
    const stream = await owner.subscribe('subscription { eventAdded(types: [KEY_REVOKED]) { cursor } }');
    let id = '';
    // Each notice has it read once: from the newest event that it has looked through, not from where it began.
    await expect
      .poll(async () => {
        id = await createKey(owner, 'Rare');
        return read.at(-1) !== read[0];
      })
      .toBe(true);
    await owner.data(`mutation { revokeApiKey(id: "${id}") { id } }`);
    expect((await stream.data()).eventAdded.cursor).toMatch(/^\d+$/);
    stream.leave();
    eventLog.page = page;
  });

  it('refuses a cursor that it did not create', async () => {
    expect(await owner.code('{ events(after: "vid_x") { edges { cursor } } }')).toBe('INVALID_INPUT');
  });
});
