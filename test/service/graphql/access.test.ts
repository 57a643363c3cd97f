import type { GraphQLObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import { assertRootFieldsMarked } from '../../../src/api/graphql/access.js';
import { buildGraphqlSchema } from '../../../src/api/graphql/schema.js';
import type { Client } from '../../support/graphql/client.js';
import { type RootField, rootFields } from './rootFields.js';
import { GraphqlService } from './service.js';

const schema = buildGraphqlSchema();

/** Everything that is public. A new name here is a decision. */
const PUBLIC = ['Query.priceList', 'Query.referralCode', 'Query.viewer'];
const SUPPORT = [
  'Query.account',
  'Query.accounts',
  'Query.adjustmentRequests',
  'Query.alerts',
  'Query.auditLog',
  'Query.failedVideos',
  'Query.ledgerHealth',
  'Query.platformTotals',
  'Query.queueAges',
  'Query.staffRequests',
  'Query.suspenseItems',
  'Query.topUpsOf',
  'Query.topUpsWithoutWebhook',
  'Query.webhookEvent',
  'Query.webhookEvents',
  'Mutation.addAccountNote',
  'Mutation.adjustWallet',
  'Mutation.approveAdjustment',
  'Mutation.approveStaffRequest',
  'Mutation.deleteAccountNote',
  'Mutation.editAccountNote',
  'Mutation.explainPlaybackOf',
  'Mutation.proposeApiKeyDailyQuota',
  'Mutation.proposeRefund',
  'Mutation.refundTopUp',
  'Mutation.refuseAdjustment',
  'Mutation.refuseStaffRequest',
  'Mutation.replayWebhook',
  'Mutation.resolveAlert',
  'Mutation.resolveSuspenseItem',
  'Mutation.retryFailedVideo',
  'Mutation.resumeAccount',
  'Mutation.setApiKeyDailyQuota',
  'Mutation.suspendAccount',
  'Mutation.viewAsOwner',
];
/** Mutations open to a suspended account: ending a session or revoking a key only takes access away. */
const WHILE_SUSPENDED = [
  // Of staff: it changes nothing in the account.
  'Mutation.endOwnerView',
  'Mutation.endOtherSessions',
  'Mutation.endSession',
  'Mutation.reopenAccount',
  'Mutation.revokeAccessToken',
  'Mutation.revokeApiKey',
];
const VERIFIED_ONLY = [
  'Mutation.createAccessToken',
  'Mutation.createApiKey',
  'Mutation.createTopUp',
  'Mutation.createWebhookEndpoint',
  'Mutation.updateWebhookEndpoint',
  'Mutation.rotateWebhookSecret',
  'Mutation.requestRefund',
  'Mutation.createVideo',
  'Mutation.processVideo',
  'Mutation.retryVideo',
];

/** What outlasts the session, or cannot be undone. */
const SECOND_FACTOR = ['Mutation.closeAccount', 'Mutation.createAccessToken'];

const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) => rootFields(type!));
const subscriptions = rootFields(schema.getSubscriptionType()!);

describe('access to root fields', () => {
  let service: GraphqlService;
  let owner: Client;

  beforeAll(async () => {
    service = await GraphqlService.start();
    owner = await service.signedIn('owner@example.com');
  });
  afterAll(() => service.stop());

  it('is declared for every field, and public for the known ones only', () => {
    const all = [...fields, ...subscriptions];
    expect(all.length).toBeGreaterThan(20);
    expect(all.filter(({ access }) => typeof access !== 'string')).toEqual([]);
    expect(named(all, 'public')).toEqual(PUBLIC.toSorted());
    expect(named(all, 'support')).toEqual(SUPPORT.toSorted());
    expect(named(all, 'verified')).toEqual(VERIFIED_ONLY.toSorted());
  });

  it('must be declared, or the schema is refused', () => {
    const unmarked = buildGraphqlSchema();
    unmarked.getQueryType()!.getFields()['viewer']!.extensions = {};
    expect(() => assertRootFieldsMarked(unmarked)).toThrow('Query.viewer does not say who may ask for it');
    expect(() => assertRootFieldsMarked(schema)).not.toThrow();
  });

  it('is declared for every field that staff see of an account', () => {
    const account = schema.getType('SupportAccount') as GraphQLObjectType;
    const resolved = ['wallet', 'apiKeys', 'videos', 'auditLog', 'storage', 'notes'];
    for (const name of resolved) expect(account.getFields()[name]!.extensions['access']).toBe('support');
  });

  it.each(fields.filter(({ access }) => access !== 'public'))(
    '$name: UNAUTHENTICATED without a session',
    async (field) => {
      const reply = await service.nobody.ask(field.operation);
      expect(reply.errors.map((error) => error.extensions)).toEqual([
        { code: 'UNAUTHENTICATED', status: 401, requestId: 'test-request' },
      ]);
    },
  );

  it.each(subscriptions)('$name: 401 without a session', async (field) => {
    const stream = await service.nobody.subscribe(field.operation);
    expect(stream.status).toBe(401);
    expect((await stream.refusal()).errors[0]!.extensions['code']).toBe('UNAUTHENTICATED');
  });

  it('gives visitors the prices, and no viewer', async () => {
    expect(await service.nobody.data('{ viewer { id } priceList { freePlaybackTokensPerDay } }')).toEqual({
      viewer: null,
      priceList: { freePlaybackTokensPerDay: 1000 },
    });
    const { priceList } = await service.nobody.data(
      '{ priceList { processing { quality creditsPerMinute } addons { addon creditsPerMinute } storageCreditsPerGbMonth } }',
    );
    expect(priceList).toEqual({
      processing: [
        { quality: 'AUDIO', creditsPerMinute: '0.25' },
        { quality: 'P480', creditsPerMinute: '1' },
        { quality: 'P720', creditsPerMinute: '1.5' },
        { quality: 'P1080', creditsPerMinute: '2' },
        { quality: 'P1440', creditsPerMinute: '3.5' },
        { quality: 'P2160', creditsPerMinute: '5' },
      ],
      addons: [
        { addon: 'BRANDING', creditsPerMinute: '0.5' },
        { addon: 'ENCRYPTION', creditsPerMinute: '0.5' },
      ],
      storageCreditsPerGbMonth: '1.5',
    });
  });

  it('gives a signed-in user their viewer', async () => {
    const { viewer } = await owner.data(
      '{ viewer { id email emailVerified role twoFactorEnabled twoFactorPassed account { id suspended } } }',
    );
    expect(viewer).toEqual({
      id: owner.accountId,
      email: 'owner@example.com',
      emailVerified: true,
      role: 'OWNER',
      twoFactorEnabled: false,
      twoFactorPassed: false,
      account: { id: owner.accountId, suspended: false },
    });
  });

  it.each(fields.filter(({ access }) => access === 'support'))('$name: FORBIDDEN for an owner', async (field) => {
    expect(await owner.code(field.operation)).toBe('FORBIDDEN');
  });

  it('lets a suspended account read, but not change anything', async () => {
    const suspended = await service.signedIn('suspended@example.com');
    await service.services.accounts.suspend(suspended.accountId, owner.accountId, 'unpaid');
    expect(await suspended.data('{ viewer { account { suspended } } wallet { master } }')).toEqual({
      viewer: { account: { suspended: true } },
      wallet: { master: '0' },
    });
    const changes = fields.filter(({ name, access }) => name.startsWith('Mutation') && access !== 'support');
    expect(changes.length).toBeGreaterThan(8);
    for (const { name, operation } of changes) {
      if (WHILE_SUSPENDED.includes(name)) continue;
      expect(`${name} ${await suspended.code(operation)}`).toBe(`${name} ACCOUNT_SUSPENDED`);
    }
    expect(await suspended.code(`mutation { revokeApiKey(id: "${newId()}") { id } }`)).toBe('API_KEY_NOT_FOUND');
  });

  it('is taken from staff who are suspended', async () => {
    const staff = await service.signedIn('rogue@example.com', 'support');
    await service.services.accounts.suspend(staff.accountId, owner.accountId, 'misuse');
    for (const { name, operation } of fields.filter(({ access }) => access === 'support')) {
      expect(`${name} ${await staff.code(operation)}`).toBe(`${name} ACCOUNT_SUSPENDED`);
    }
  });

  it('requires a verified email to spend credits or create keys', async () => {
    const unconfirmed = await service.signedIn('unconfirmed@example.com');
    await service.rows('update auth."user" set "emailVerified" = false where id = $1', [unconfirmed.accountId]);
    for (const { name, operation } of fields.filter(({ access }) => access === 'verified')) {
      expect(`${name} ${await unconfirmed.code(operation)}`).toBe(`${name} EMAIL_NOT_VERIFIED`);
    }
    expect(await unconfirmed.data('{ videos { totalCount } }')).toEqual({ videos: { totalCount: 0 } });
  });

  it('requires the second factor in this session, if the user has one, for what outlasts it', async () => {
    const some = fields.filter(({ also }) => also === 'second factor');
    expect(some.map(({ name }) => name).toSorted()).toEqual(SECOND_FACTOR);
    const trusted = await service.signedIn('trusted@example.com');
    await service.rows('update auth."user" set "twoFactorEnabled" = true where id = $1', [trusted.accountId]);
    for (const { name, operation } of some) {
      expect(`${name} ${await trusted.code(operation)}`).toBe(`${name} TWO_FACTOR_REQUIRED`);
    }
    await service.rows('update auth.session set "twoFactorPassed" = true where "userId" = $1', [trusted.accountId]);
    for (const { name, operation } of some) {
      const { errors } = await trusted.ask(operation);
      expect(JSON.stringify(errors), name).not.toContain('TWO_FACTOR_REQUIRED');
    }
  });

  it('ends with the session', async () => {
    const leaving = await service.signedIn('leaving@example.com');
    expect(await leaving.data('{ wallet { master } }')).toEqual({ wallet: { master: '0' } });
    await service.rows('delete from auth.session where "userId" = $1', [leaving.accountId]);
    expect(await leaving.code('{ wallet { master } }')).toBe('UNAUTHENTICATED');
    expect(await leaving.data('{ viewer { id } }')).toEqual({ viewer: null });
  });

  it('returns 503 with SERVICE_UNAVAILABLE while the database is away, and recovers', async () => {
    service.cable.cut();
    const reply = await owner.ask('{ viewer { id } }');
    expect(reply.status).toBe(503);
    expect(reply.errors).toHaveLength(1);
    expect(reply.errors[0]!.extensions).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
    expect(reply.errors[0]!.message).not.toContain('ontext creation');
    const stream = await owner.subscribe('subscription { walletChanged { master } }');
    expect(stream.status).toBe(503);
    expect((await stream.refusal()).errors[0]!.extensions['code']).toBe('SERVICE_UNAVAILABLE');

    service.cable.mend();
    expect(await owner.data('{ wallet { master } }')).toEqual({ wallet: { master: '0' } });
  });
});

function named(all: RootField[], access: string): string[] {
  return all
    .filter((field) => field.access === access)
    .map(({ name }) => name)
    .toSorted();
}
