import { randomBytes } from 'node:crypto';

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { SecretRewrap } from '../../../src/domain/operations/rewrap.js';
import { forgetDeletedEndpoints } from '../../../src/domain/accounts/webhooks/webhooks.service.js';
import { appendEvents } from '../../../src/domain/shared/events/appendEvent.js';
import { ALL_EVENT_TYPES } from '../../../src/domain/shared/events/eventTypes.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { WebhookSecrets } from '../../../src/domain/accounts/webhooks/webhookSecrets.js';
import { WebhooksRig } from '../../support/webhooks/webhooksRig.js';

const URL = 'http://127.0.0.1:9/hooks';
const PAGE = { first: 100, after: null, state: null };

let rig: WebhooksRig;
beforeAll(async () => {
  rig = await WebhooksRig.start();
});
afterAll(() => rig.stop());

describe('a webhook endpoint', () => {
  it('is stored with its secret encrypted, and the secret is shown once', async () => {
    const accountId = await rig.account();
    const { id, secret } = await rig.endpoint(accountId, URL);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { rows } = await rig.db.pool.query('select * from webhook_secret where endpoint_id = $1', [id]);
    expect(rows).toHaveLength(1);
    expect(rows[0].sealed.includes(Buffer.from(secret.slice(6), 'base64'))).toBe(false);
    expect(JSON.stringify(await rig.service.list(accountId))).not.toContain(secret.slice(6));
  });

  it('keeps its secret when the master key changes', async () => {
    const accountId = await rig.account();
    const { id, secret } = await rig.endpoint(accountId, URL);
    const masterKeys = { current: randomBytes(32), previous: [rig.masterKeys.current] };
    await new SecretRewrap({ db: rig.db, masterKeys }).run();
    const onlyNew = new WebhookSecrets({ current: masterKeys.current, previous: [] });
    const [key] = await onlyNew.signing(rig.db.sql, accountId, id);
    expect(`whsec_${key!.toString('base64')}`).toBe(secret);
    await new SecretRewrap({
      db: rig.db,
      masterKeys: { current: rig.masterKeys.current, previous: [masterKeys.current] },
    }).run();
  });

  it('keeps both of two changes to different fields at the same time', async () => {
    const accountId = await rig.account();
    const { id } = await rig.endpoint(accountId, URL);
    for (let round = 0; round < 30; round += 1) {
      const description = `Round ${round}`;
      const eventTypes = [ALL_EVENT_TYPES[round % ALL_EVENT_TYPES.length]!];
      await Promise.all([
        rig.service.update(accountId, id, { description }),
        rig.service.update(accountId, id, { eventTypes }),
      ]);
      expect(await rig.service.get(accountId, id)).toMatchObject({ description, eventTypes, url: URL });
    }
  });

  it('is one of 20 at most, even if many are created at the same time', async () => {
    const accountId = await rig.account();
    const created = await Promise.allSettled(Array.from({ length: 25 }, () => rig.endpoint(accountId, URL)));
    expect(created.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    const refused = created.filter((result) => result.status === 'rejected');
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'LIMIT_REACHED' });
  });

  it('is changed, disabled, enabled and deleted by its account alone', async () => {
    const accountId = await rig.account();
    const other = await rig.account();
    const { id } = await rig.endpoint(accountId, URL);
    const missing = { code: 'WEBHOOK_ENDPOINT_NOT_FOUND' };
    for (const wrong of [id, newId(), 'x']) {
      await expect(rig.service.get(other, wrong)).rejects.toMatchObject(missing);
      await expect(rig.service.update(other, wrong, { description: 'x' })).rejects.toMatchObject(missing);
      await expect(rig.service.setEnabled(other, wrong, false)).rejects.toMatchObject(missing);
      await expect(rig.service.rotateSecret(other, wrong, 0)).rejects.toMatchObject(missing);
      await expect(rig.service.test(other, wrong)).rejects.toMatchObject(missing);
      await expect(rig.service.delete(other, wrong)).rejects.toMatchObject(missing);
      await expect(rig.service.deliveries(other, wrong, PAGE)).rejects.toMatchObject(missing);
    }
    const changed = await rig.service.update(accountId, id, { description: 'Shop', eventTypes: ['video.ready'] });
    expect(changed).toMatchObject({ url: URL, description: 'Shop', eventTypes: ['video.ready'], disabled: null });
    expect(await rig.service.setEnabled(accountId, id, false)).toMatchObject({ disabled: { reason: 'owner' } });
    await expect(rig.service.test(accountId, id)).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await rig.service.setEnabled(accountId, id, true)).toMatchObject({ disabled: null });
    await rig.service.delete(accountId, id);
    expect(await rig.service.list(accountId)).toEqual([]);
  });

  it('leaves an audit entry of each change, by the user who made it, and none of what failed', async () => {
    const accountId = await rig.account();
    const actorId = newId();
    const { endpoint } = await rig.service.create(accountId, { url: URL, description: '', eventTypes: null }, actorId);
    const { id } = endpoint;
    await rig.service.update(accountId, id, { eventTypes: ['video.ready', 'key.created'] }, actorId);
    await rig.service.rotateSecret(accountId, id, 24, actorId);
    await rig.service.setEnabled(accountId, id, false, actorId);
    await rig.service.setEnabled(accountId, id, true, actorId);
    const { id: deliveryId } = await rig.service.test(accountId, id);
    await rig.service.replay(accountId, id, deliveryId, actorId);
    const range = { since: new Date(0), until: new Date(1), includeDelivered: false };
    await rig.service.replayRange(accountId, id, range, actorId);
    await expect(rig.service.replay(accountId, id, '1'.repeat(18), actorId)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(rig.service.delete(accountId, newId(), actorId)).rejects.toMatchObject({
      code: 'WEBHOOK_ENDPOINT_NOT_FOUND',
    });
    await rig.service.delete(accountId, id, actorId);

    const { rows } = await rig.db.pool.query(
      `select action, actor_id, subject, details from audit_entry where account_id = $1 order by created_at`,
      [accountId],
    );
    expect(rows.map(({ action }) => action.replace('webhook_endpoint.', ''))).toEqual([
      'create',
      'update',
      'rotate_secret',
      'disable',
      'enable',
      'replay',
      'replay',
      'delete',
    ]);
    for (const row of rows) expect(row).toMatchObject({ actor_id: actorId, subject: id });
    expect(rows[1].details).toEqual({ url: URL, description: '', eventTypes: 'video.ready, key.created' });
    expect(rows[6].details).toMatchObject({ since: '1970-01-01T00:00:00.000Z', events: 0 });
  });

  it('takes its log with it an hour after it was deleted, and nothing of others', async () => {
    const accountId = await rig.account();
    // Those of other tests.
    await rig.pass(3_601);
    await forgetDeletedEndpoints(rig.db.sql);
    const kept = await rig.endpoint(accountId, URL);
    const gone = await rig.endpoint(accountId, URL);
    await rig.events(accountId, 3);
    const admin = new pg.Client({ connectionString: rig.database.migrationUrl });
    await admin.connect();
    await admin.query(
      `insert into webhook_attempt (account_id, endpoint_id, event_id, created_at, id, url, duration_ms, answer)
       select account_id, endpoint_id, event_id, created_at, gen_random_uuid(), '', 1, '' from webhook_delivery
       where account_id = $1`,
      [accountId],
    );
    const left = async () => {
      const { rows } = await admin.query(
        `select (select count(*) from webhook_delivery where endpoint_id = e.id)::int as deliveries,
           (select count(*) from webhook_attempt where endpoint_id = e.id)::int as attempts
         from unnest($1::uuid[]) with ordinality e (id, n) order by e.n`,
        [[kept.id, gone.id]],
      );
      return rows;
    };
    const all = { deliveries: 3, attempts: 3 };
    await rig.service.delete(accountId, gone.id);
    expect(await forgetDeletedEndpoints(rig.db.sql)).toBe(0);
    expect(await left()).toEqual([all, all]);
    await rig.pass(3_601);
    // One that exists is left alone, whatever the list says.
    await admin.query('insert into deleted_webhook_endpoint values ($1, $2, $3)', [accountId, kept.id, new Date(0)]);
    const { rows: batch } = await admin.query('select forget_webhook_log(2) as removed');
    expect(batch).toEqual([{ removed: 4 }]);
    expect(await forgetDeletedEndpoints(rig.db.sql)).toBe(2);
    expect(await left()).toEqual([all, { deliveries: 0, attempts: 0 }]);
    const { rows } = await admin.query('delete from deleted_webhook_endpoint returning id');
    await admin.end();
    expect(rows).toEqual([{ id: kept.id }]);
  });

  it('is refused with no event type, a long description, and a bad number of hours for its old secret', async () => {
    const accountId = await rig.account();
    const invalid = { code: 'INVALID_INPUT' };
    const input = { url: URL, description: '', eventTypes: null };
    await expect(rig.service.create(accountId, { ...input, eventTypes: [] })).rejects.toMatchObject(invalid);
    await expect(rig.service.create(accountId, { ...input, description: 'x'.repeat(201) })).rejects.toMatchObject(
      invalid,
    );
    const { id } = await rig.endpoint(accountId, URL);
    for (const hours of [-1, 169, 1.5]) {
      await expect(rig.service.rotateSecret(accountId, id, hours)).rejects.toMatchObject(invalid);
    }
  });

  it('signs with two secrets at most while they are rotated, and with the new one alone afterwards', async () => {
    const accountId = await rig.account();
    const { id, secret } = await rig.endpoint(accountId, URL);
    const signing = async () =>
      (await rig.secrets.signing(rig.db.sql, accountId, id)).map((key) => `whsec_${key.toString('base64')}`);
    const second = await rig.service.rotateSecret(accountId, id, 24);
    expect(await signing()).toEqual([second, secret]);
    const third = await rig.service.rotateSecret(accountId, id, 24);
    expect(await signing()).toEqual([third, second]);
    expect((await rig.service.get(accountId, id)).previousSecretEndsAt).not.toBeNull();
    await rig.pass(24 * 3600);
    expect(await signing()).toEqual([third]);
    const fourth = await rig.service.rotateSecret(accountId, id, 0);
    expect(await signing()).toEqual([fourth]);
  });
});

describe('a delivery', () => {
  it('is written with its event, for every endpoint that wants its type', async () => {
    const accountId = await rig.account();
    const all = await rig.endpoint(accountId, URL);
    const some = await rig.endpoint(accountId, URL);
    const none = await rig.endpoint(accountId, URL);
    const off = await rig.endpoint(accountId, URL);
    await rig.service.update(accountId, some.id, { eventTypes: ['wallet.low', 'video.ready'] });
    await rig.service.update(accountId, none.id, { eventTypes: ['video.ready'] });
    await rig.service.setEnabled(accountId, off.id, false);
    await rig.events(accountId, 2);
    await rig.events(await rig.account());
    const counts = await Promise.all(
      [all, some, none, off].map(async ({ id }) => (await rig.service.deliveries(accountId, id, PAGE)).length),
    );
    expect(counts).toEqual([2, 2, 0, 0]);
  });

  it('is none where the event was rolled back', async () => {
    const accountId = await rig.account();
    const { id } = await rig.endpoint(accountId, URL);
    const broken = rig.db.transaction(async ({ sql }) => {
      await appendEvents(sql, [{ accountId, type: 'wallet.low', fact: 'a', data: { balance: '1', threshold: '2' } }]);
      throw new Error('no');
    });
    await expect(broken).rejects.toThrow('no');
    expect(await rig.service.deliveries(accountId, id, PAGE)).toEqual([]);
  });

  it('is listed by page and by state, newest first, in its account', async () => {
    const accountId = await rig.account();
    const { id } = await rig.endpoint(accountId, URL);
    await rig.events(accountId, 3);
    const [newest, ...older] = await rig.service.deliveries(accountId, id, PAGE);
    expect(older).toHaveLength(2);
    const page = { first: 1, after: newest!.id, state: 'pending' as const };
    expect(await rig.service.deliveries(accountId, id, page)).toEqual([older[0]]);
    expect(await rig.service.deliveries(accountId, id, { ...page, state: 'failed' })).toEqual([]);
    await expect(rig.service.deliveries(accountId, id, { ...PAGE, after: 'x' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await expect(rig.service.delivery(accountId, id, '1'.repeat(18))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    for (const time of ["x'", '2026-02-30 00:00:00+00', '0000-01-01 00:00:00+00', '2026-01-01 24:00:00+00', '']) {
      await expect(
        rig.service.attempts(accountId, id, newest!.id, { first: 1, after: `${time}_${newId()}` }),
      ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
    const last = { first: 1, after: `9999-12-31 23:59:59.999999+00_${newId()}` };
    expect(await rig.service.attempts(accountId, id, newest!.id, last)).toEqual([]);
  });

  it('of a range is made for events from before the endpoint, of its types, in their order', async () => {
    const accountId = await rig.account();
    await rig.events(accountId, 3);
    const { id } = await rig.endpoint(accountId, URL);
    const range = { since: new Date(0), until: new Date(Date.now() + 365 * 86_400_000), includeDelivered: false };
    expect(await rig.service.replayRange(accountId, id, range)).toBe(3);
    expect(await rig.service.replayRange(accountId, id, range)).toBe(0);
    const rows = await rig.service.deliveries(accountId, id, PAGE);
    const times = rows.map(({ createdAt }) => createdAt.getTime());
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    await rig.service.update(accountId, id, { eventTypes: ALL_EVENT_TYPES.filter((type) => type !== 'wallet.low') });
    expect(await rig.service.replayRange(accountId, id, { ...range, includeDelivered: true })).toBe(0);
    await expect(rig.service.replayRange(accountId, id, { ...range, until: range.since })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  it('and its attempts cannot be removed by the service', async () => {
    for (const text of [
      'delete from webhook_delivery',
      'delete from webhook_attempt',
      `update webhook_attempt set url = ''`,
    ]) {
      await expect(rig.db.sql.query({ name: `test-${text.slice(0, 24)}`, text })).rejects.toThrow('permission denied');
    }
  });
});
