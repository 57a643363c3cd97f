import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import type { Client, Stream } from '../../support/graphql/client.js';
import { credits, paperVideo } from './parents.js';
import { GraphqlService } from './service.js';
import { WAIT_MS } from '../../support/deadlines.js';

const PROGRESS = `subscription ($id: ID!) { videoProgress(videoId: $id) {
  title status renditions { quality } processing { percent step }
} }`;
const VIDEOS = 'subscription { videosChanged { id video { title processing { percent } } } }';
const WALLET = 'subscription { walletChanged { master creative } }';

describe('live results over server-sent events', () => {
  let service: GraphqlService;
  let owner: Client;
  let other: Client;
  const opened: Stream[] = [];

  beforeAll(async () => {
    service = await GraphqlService.start({ streams: { heartbeatMs: 100, pauseMs: 0, maxPerAccount: 3 } });
    owner = await service.signedIn('owner@example.com');
    other = await service.signedIn('other@example.com');
    await listening();
  });
  beforeEach(() => streamsOpen(0));
  // Also those of a test that failed, which would hold up all that follow.
  afterEach(() => {
    for (const stream of opened.splice(0)) stream.leave();
  });
  afterAll(() => service.stop());

  it('show a video as it is, then after each change, and end when it is deleted', async () => {
    const id = await paperVideo(service, owner.accountId, { title: 'First' });
    const stream = await subscribe(owner, PROGRESS, { id: videoIdOf(id) });
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await stream.data()).toEqual({
      videoProgress: { title: 'First', status: 'UPLOADED', renditions: [], processing: null },
    });

    await rename(id, 'Second');
    expect((await stream.data()).videoProgress.title).toBe('Second');

    // Rows of other tables are also read again for each result.
    await service.rows(
      `insert into processing (account_id, video_id, attempt, quote_id, quality, price_micros, percent, step, queued_at, updated_at)
        values ($1, $2, 1, $3, '480p', 1, 12.5, 'encoding', now(), now())`,
      [owner.accountId, id, newId()],
    );
    await service.rows('update video set attempt = 1 where id = $1', [id]);
    await rename(id, 'Third');
    expect((await stream.data()).videoProgress).toMatchObject({
      title: 'Third',
      processing: { percent: 12.5, step: 'encoding' },
    });

    await service.services.videos.delete(owner.accountId, id);
    expect(await stream.next()).toBe('complete');
  });

  it('include all videos of the account and their deletions, and no others', async () => {
    const mine = await paperVideo(service, owner.accountId);
    const theirs = await paperVideo(service, other.accountId);
    const stream = await subscribe(owner, VIDEOS);
    await streamsOpen(1);
    await service.services.videos.update(other.accountId, theirs, { title: 'Not for you' });
    await rename(mine, 'Mine');
    expect((await stream.data()).videosChanged).toEqual({
      id: videoIdOf(mine),
      video: { title: 'Mine', processing: null },
    });
    await service.services.videos.delete(owner.accountId, mine);
    expect((await stream.data()).videosChanged).toEqual({ id: videoIdOf(mine), video: null });
  });

  it('show the wallet as it is, and after each posting', async () => {
    await credits(service, owner.accountId, { masterMicros: 10_000_000n });
    const stream = await subscribe(owner, WALLET);
    expect((await stream.data()).walletChanged).toEqual({ master: '10', creative: '0' });
    await owner.data(
      'mutation { allocateCredits(from: MASTER, to: CREATIVE, amount: "4", idempotencyKey: "live") { master } }',
    );
    // The notice of the first posting may come after the stream's first result, which is then sent again.
    let shown = await stream.data();
    while (shown.walletChanged.master === '10') shown = await stream.data();
    expect(shown.walletChanged).toEqual({ master: '6', creative: '4' });
  });

  it('keep quiet streams alive with comments', async () => {
    const stream = await subscribe(owner, VIDEOS);
    const next = stream.next();
    await until(() => stream.comments >= 3);
    stream.leave();
    expect(await next).toBe('lost');
  });

  it('are refused for another account’s video, an unknown one, and for other operations', async () => {
    const id = await paperVideo(service, other.accountId);
    const refused = await subscribe(owner, PROGRESS, { id });
    expect(refused.status).toBe(404);
    expect((await refused.refusal()).errors[0]!.extensions['code']).toBe('VIDEO_NOT_FOUND');
    expect((await subscribe(owner, PROGRESS, { id: 'nothing' })).status).toBe(404);
    for (const query of [
      '{ viewer { id } }',
      'mutation { createApiKey(name: "a") { key } }',
      'subscription { walletChanged { nothing } }',
      'subscription { walletChanged { master } videosChanged { id } }',
      `subscription { walletChanged { ${Array.from({ length: 21 }, (_, n) => `a${n}: master`).join(' ')} } }`,
      `subscription { walletChanged { ${'master '.repeat(2000)} } }`,
      'subscription A { walletChanged { master } } subscription B { walletChanged { master } }',
      '}{',
    ]) {
      const stream = await subscribe(owner, query);
      expect([query.slice(0, 40), stream.status]).toEqual([query.slice(0, 40), 400]);
      expect((await stream.refusal()).errors.length).toBeGreaterThan(0);
    }
    expect(service.services.events.subscriberCount).toBe(0);
  });

  it('are limited per account, and leaving frees a place', async () => {
    const streams = [await subscribe(owner, VIDEOS), await subscribe(owner, VIDEOS), await subscribe(owner, VIDEOS)];
    const refused = await subscribe(owner, VIDEOS);
    expect(refused.status).toBe(429);
    expect((await refused.refusal()).errors[0]!.extensions['code']).toBe('RATE_LIMIT_EXCEEDED');
    const theirs = await subscribe(other, VIDEOS);
    expect(theirs.status).toBe(200);

    await streamsOpen(4);
    streams[0]!.leave();
    await streamsOpen(3);
    const again = await subscribe(owner, VIDEOS);
    expect(again.status).toBe(200);
  });

  it('end with the session: before the next result, and without one', async () => {
    const leaving = await service.signedIn('leaving@example.com');
    const id = await paperVideo(service, leaving.accountId);
    const quiet = await subscribe(leaving, WALLET);
    await quiet.data();
    await service.rows('delete from auth.session where "userId" = $1', [leaving.accountId]);
    await service.services.videos.update(leaving.accountId, id, { title: 'Secret' });
    const last = await quiet.next();
    expect(last).toMatchObject({ data: null, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    expect(await quiet.next()).toBe('complete');
    await streamsOpen(0);
  });

  it('are not sent to a session that ended a moment before', async () => {
    // With heartbeats once an hour, only the check before each result can notice.
    const strict = await GraphqlService.start({ streams: { heartbeatMs: 3_600_000, pauseMs: 0 } });
    try {
      const leaving = await strict.signedIn('leaving@example.com');
      const stream = await subscribe(leaving, WALLET);
      await stream.data();
      await until(() => strict.services.events.subscriberCount === 1);
      await strict.rows('delete from auth.session where "userId" = $1', [leaving.accountId]);
      await strict.rows(
        `select pg_notify('dhara_events', json_build_object('kind', 'wallet', 'accountId', $1::uuid)::text)`,
        [leaving.accountId],
      );
      expect(await stream.next()).toMatchObject({ data: null, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
      expect(await stream.next()).toBe('complete');
    } finally {
      await strict.stop();
    }
  });

  it('are repeated after a lost database connection, during which changes may have been missed', async () => {
    const id = await paperVideo(service, owner.accountId, { title: 'Before' });
    const list = await subscribe(owner, VIDEOS);
    const one = await subscribe(owner, PROGRESS, { id });
    expect((await one.data()).videoProgress.title).toBe('Before');
    await streamsOpen(2);

    service.cable.cut();
    await service.rows(`update video set title = 'While away' where id = $1`, [id]);
    service.cable.mend();
    expect((await list.data()).videosChanged).toEqual({ id: null, video: null });
    expect((await one.data()).videoProgress.title).toBe('While away');
  });

  it('end without "complete" when the service stops, so that clients reconnect', async () => {
    const stopping = await GraphqlService.start();
    const client = await stopping.signedIn('owner@example.com');
    const stream = await subscribe(client, WALLET);
    await stream.data();
    await stopping.stop();
    expect(await stream.next()).toBe('lost');
  });

  async function subscribe(client: Client, query: string, variables?: Record<string, unknown>): Promise<Stream> {
    const stream = await client.subscribe(query, variables);
    opened.push(stream);
    return stream;
  }

  function rename(id: string, title: string): Promise<unknown> {
    return service.services.videos.update(owner.accountId, id, { title });
  }

  /** Waits until exactly `count` subscriptions are open. */
  function streamsOpen(count: number): Promise<void> {
    return until(() => service.services.events.subscriberCount === count);
  }

  /** Waits until the service listens for notifications. */
  async function listening(): Promise<void> {
    await until(async () => {
      const rows = await service.rows(
        `select 1 from pg_stat_activity where datname = $1 and application_name = 'dhara-events' and query ilike 'listen%'`,
        [service.database.name],
      );
      return rows.length > 0;
    });
  }
});

/** Polls until the condition holds. @throws after 25 seconds, so that the test fails and does not hang. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('it never came to be so');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
