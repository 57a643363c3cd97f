import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId, videoIdOf } from '../../../src/domain/shared/ids.js';
import { addVideo } from '../../support/contract/service.js';
import type { Client } from '../../support/graphql/client.js';
import { GraphqlService } from './service.js';

const EXPLAIN = `query ($subject: String!, $site: String) {
  explainPlayback(subject: $subject, site: $site) {
    subject summary failedRule keyId videoId viewId rules { rule outcome text code facts { name value } }
    story { summary steps { step at text facts { name value } } }
  }
}`;
const EXPLAIN_OF = `mutation ($accountId: ID!, $subject: String!, $reason: String = "asked by email") {
  explainPlaybackOf(accountId: $accountId, subject: $subject, reason: $reason) { subject failedRule keyId viewId }
}`;
const AUDIT = `query ($account: ID!) {
  auditLog(accountId: $account, action: "playback") {
    edges { node { actorEmail action subject reason details { key value } } }
  }
}`;

let service: GraphqlService;
let owner: Client;
let staff: Client;
let apiKey: { id: string; text: string };
let videoId: string;
let token: string;
beforeAll(async () => {
  service = await GraphqlService.start();
  owner = await service.signedIn('owner@example.com');
  staff = await service.signedIn('staff@example.com', 'support');
  const { createApiKey } = await owner.data('mutation { createApiKey(name: "site") { key apiKey { id } } }');
  apiKey = { id: createApiKey.apiKey.id, text: createApiKey.key };
  videoId = await addVideo(service.services.db, owner.accountId);
  token = (await service.services.playback.mint(apiKey.text, videoId)).token.token;
});
afterAll(() => service.stop());

describe('explainPlayback', () => {
  it('explains an owner’s token and key', async () => {
    const { explainPlayback: ofToken } = await owner.data(EXPLAIN, { subject: token });
    expect(ofToken).toMatchObject({
      subject: 'TOKEN',
      failedRule: null,
      videoId: videoIdOf(videoId),
      keyId: apiKey.id,
    });
    expect(ofToken.rules[0]).toMatchObject({ rule: 'SIGNATURE', outcome: 'PASSED', code: null });
    const { explainPlayback: ofApp } = await owner.data(EXPLAIN, { subject: token, site: 'capacitor://localhost' });
    const ofSite = ofApp.rules.find(({ rule }: { rule: string }) => rule === 'SITE');
    expect(ofSite).toMatchObject({ outcome: 'PASSED' });
    const { explainPlayback: ofKey } = await owner.data(EXPLAIN, { subject: apiKey.id });
    expect(ofKey.rules.map(({ rule }: { rule: string }) => rule)).toEqual(['KEY', 'ACCOUNT', 'QUOTA']);
  });

  it('tells the history of the owner’s own views only', async () => {
    const viewed = await service.signedIn('viewed@example.com');
    const { createApiKey } = await viewed.data('mutation { createApiKey(name: "site") { key } }');
    const video = await addVideo(service.services.db, viewed.accountId);
    const { token: text } = (await service.services.playback.mint(createApiKey.key, video)).token;
    await service.services.playback.manifest(text, {}, { address: undefined, userAgent: undefined, country: 'IN' });
    await service.services.views.flush();
    const { explainPlayback: ofToken } = await viewed.data(EXPLAIN, { subject: text });
    const { viewId } = ofToken;
    const { explainPlayback: ofView } = await viewed.data(EXPLAIN, { subject: viewId });
    expect(ofView).toMatchObject({ subject: 'VIEW', failedRule: null, viewId, story: ofToken.story });
    expect(ofView.story.steps[1]).toMatchObject({
      step: 'EXCHANGED',
      at: expect.stringMatching(/Z$/) as string,
      facts: expect.arrayContaining([{ name: 'country', value: 'IN' }]) as unknown,
    });
    expect(await owner.data(EXPLAIN, { subject: viewId })).toEqual(await owner.data(EXPLAIN, { subject: newId() }));

    const { explainPlaybackOf } = await staff.data(EXPLAIN_OF, { accountId: viewed.accountId, subject: viewId });
    expect(explainPlaybackOf).toMatchObject({ subject: 'VIEW', failedRule: null });
    const { auditLog } = await staff.data(AUDIT, { account: viewed.accountId });
    expect(auditLog.edges[0].node).toMatchObject({ action: 'playback.explain', subject: viewId });
    const { accountId } = await service.signedIn('elsewhere@example.com');
    const { explainPlaybackOf: foreign } = await staff.data(EXPLAIN_OF, { accountId, subject: viewId });
    expect(foreign).toMatchObject({ subject: 'UNKNOWN', viewId: null });
  });

  it('is open to access tokens that may read, and tells them nothing of others', async () => {
    const { createAccessToken } = await owner.data(
      'mutation { createAccessToken(name: "ci", scopes: [READ]) { token } }',
    );
    const program = (text: string) =>
      fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${createAccessToken.token}` },
        body: JSON.stringify({ query: EXPLAIN, variables: { subject: text } }),
      }).then((res) => res.json() as Promise<{ data: { explainPlayback: { subject: string } } }>);
    expect((await program(token)).data.explainPlayback.subject).toBe('TOKEN');

    const stranger = await service.signedIn('stranger@example.com');
    expect(await stranger.data(EXPLAIN, { subject: apiKey.id })).toEqual(
      await stranger.data(EXPLAIN, { subject: newId() }),
    );
  });
});

describe('explainPlaybackOf', () => {
  it('is for support, and leaves an audit entry without the token or the key', async () => {
    expect(
      (await owner.ask(EXPLAIN_OF, { accountId: owner.accountId, subject: token })).errors[0]!.extensions,
    ).toMatchObject({ code: 'FORBIDDEN' });
    const { explainPlaybackOf: ofToken } = await staff.data(EXPLAIN_OF, { accountId: owner.accountId, subject: token });
    expect(ofToken).toMatchObject({ subject: 'TOKEN', failedRule: null });
    const { explainPlaybackOf: ofKey } = await staff.data(EXPLAIN_OF, {
      accountId: owner.accountId,
      subject: apiKey.text,
    });
    expect(ofKey).toMatchObject({ subject: 'KEY', keyId: apiKey.id });

    const { auditLog } = await staff.data(AUDIT, { account: owner.accountId });
    expect(auditLog.edges.map(({ node }: { node: unknown }) => node)).toEqual([
      {
        actorEmail: 'staff@example.com',
        action: 'playback.explain',
        subject: apiKey.id,
        reason: 'asked by email',
        details: expect.arrayContaining([{ key: 'subject', value: 'key' }]) as unknown,
      },
      {
        actorEmail: 'staff@example.com',
        action: 'playback.explain',
        subject: ofToken.viewId,
        reason: 'asked by email',
        details: expect.arrayContaining([{ key: 'failed', value: 'nothing' }]) as unknown,
      },
    ]);
    const kept = await service.rows<{ all: string }>('select string_agg(e::text, $1) as all from audit_entry e', [',']);
    for (const secret of [token, apiKey.text]) expect(kept[0]!.all).not.toContain(secret);
  });

  it('explains only what belongs to the named account, and requires a reason', async () => {
    const other = await service.signedIn('other@example.com');
    const { explainPlaybackOf: foreign } = await staff.data(EXPLAIN_OF, { accountId: other.accountId, subject: token });
    expect(foreign).toEqual({ subject: 'TOKEN', failedRule: 'SIGNATURE', keyId: null, viewId: null });
    const codes = async (variables: Record<string, unknown>) =>
      (await staff.ask(EXPLAIN_OF, variables)).errors.map(({ extensions }) => extensions['code']);
    expect(await codes({ accountId: newId(), subject: token })).toEqual(['ACCOUNT_NOT_FOUND']);
    expect(await codes({ accountId: owner.accountId, subject: token, reason: ' ' })).toEqual(['INVALID_INPUT']);
  });
});
