import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { newId } from '../../../src/domain/shared/ids.js';
import type { Client } from '../../support/graphql/client.js';
import { GraphqlService } from './service.js';

const FIELDS = 'id body authorEmail editedByEmail editedAt version';
const ADD = `mutation ($account: ID!, $body: String!) { addAccountNote(accountId: $account, body: $body) { ${FIELDS} } }`;
const EDIT = `mutation ($account: ID!, $id: ID!, $version: Int!, $body: String!) {
  editAccountNote(accountId: $account, id: $id, version: $version, body: $body) { ${FIELDS} }
}`;
const DELETE = 'mutation ($account: ID!, $id: ID!) { deleteAccountNote(accountId: $account, id: $id) }';
const NOTES = `query ($account: ID!) { account(id: $account) { notes { ${FIELDS} } } }`;
const AUDIT = `query ($account: ID) { auditLog(accountId: $account) { edges { node { action subject reason actorEmail } } } }`;

describe('notes of staff on accounts', () => {
  let service: GraphqlService;
  let asha: Client;
  let ravi: Client;
  let owner: Client;

  beforeAll(async () => {
    service = await GraphqlService.start();
    asha = await service.signedIn('asha@example.com', 'support');
    ravi = await service.signedIn('ravi@example.com', 'support');
    owner = await service.signedIn('owner@example.com');
  });
  afterAll(() => service.stop());

  async function add(body: string, by = asha) {
    return (await by.data(ADD, { account: owner.accountId, body })).addAccountNote;
  }
  const notes = async () => (await asha.data(NOTES, { account: owner.accountId })).account.notes;

  it('are shown to colleagues, newest first, with who wrote and changed them', async () => {
    const first = await add('  Prefers calls after six.\nSpeaks Hindi. ');
    expect(first).toEqual({
      id: first.id,
      body: 'Prefers calls after six.\nSpeaks Hindi.',
      authorEmail: 'asha@example.com',
      editedByEmail: null,
      editedAt: null,
      version: 1,
    });
    const second = await add('Chargeback in May.', ravi);
    const edit = { account: owner.accountId, id: first.id, version: 1, body: 'Prefers calls after seven.' };
    expect((await ravi.data(EDIT, edit)).editAccountNote).toMatchObject({
      body: 'Prefers calls after seven.',
      authorEmail: 'asha@example.com',
      editedByEmail: 'ravi@example.com',
      version: 2,
    });
    expect((await notes()).map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);

    expect(await asha.data(DELETE, { account: owner.accountId, id: second.id })).toEqual({
      deleteAccountNote: second.id,
    });
    expect(await notes()).toHaveLength(1);
    const { auditLog } = await asha.data(AUDIT, { account: owner.accountId });
    // Who did what: a deleted note must be gone everywhere.
    expect(auditLog.edges.map(({ node }: { node: Record<string, string> }) => node)).toEqual([
      { action: 'account.delete_note', subject: second.id, reason: 'note', actorEmail: 'asha@example.com' },
      { action: 'account.edit_note', subject: first.id, reason: 'note', actorEmail: 'ravi@example.com' },
      { action: 'account.add_note', subject: second.id, reason: 'note', actorEmail: 'ravi@example.com' },
      { action: 'account.add_note', subject: first.id, reason: 'note', actorEmail: 'asha@example.com' },
    ]);
    expect(JSON.stringify(auditLog)).not.toContain('Chargeback');
  });

  it('are not overwritten by somebody who has not seen the last change', async () => {
    const { id } = await add('one');
    const edits = await Promise.all(
      ['two', 'three', 'four', 'five'].map((body, n) =>
        (n % 2 === 0 ? asha : ravi).ask(EDIT, { account: owner.accountId, id, version: 1, body }),
      ),
    );
    expect(edits.filter(({ errors }) => errors.length === 0)).toHaveLength(1);
    const refused = edits.flatMap(({ errors }) => errors.map(({ extensions }) => extensions['code']));
    expect(refused).toEqual(['INVALID_STATE', 'INVALID_STATE', 'INVALID_STATE']);
    expect((await notes())[0].version).toBe(2);
  });

  it('have 1 to 4,000 readable characters, and belong to an account that exists', async () => {
    const account = owner.accountId;
    for (const body of ['', ' \n', 'x'.repeat(4001), 'a\u202Eb', 'a\0b']) {
      expect(await asha.code(ADD, { account, body })).toBe('INVALID_INPUT');
    }
    const { id } = await add(`${'x'.repeat(3999)}😀`);
    for (const other of [newId(), 'x', asha.accountId]) {
      if (other !== asha.accountId)
        expect(await asha.code(ADD, { account: other, body: 'a' })).toBe('ACCOUNT_NOT_FOUND');
      expect(await asha.code(EDIT, { account: other, id, version: 1, body: 'a' })).toBe('NOT_FOUND');
      expect(await asha.code(DELETE, { account: other, id })).toBe('NOT_FOUND');
      expect(await asha.code(DELETE, { account, id: other })).toBe('NOT_FOUND');
    }
    await asha.data(DELETE, { account, id });
    expect(await asha.code(DELETE, { account, id })).toBe('NOT_FOUND');
  });

  it('are at most 100 for an account, however many are written at once', async () => {
    await service.rows(
      `insert into account_note (account_id, id, author_id, body, created_at)
       select $1, gen_random_uuid(), $2, 'old', '2020-01-01' from generate_series(1, 98 - (select count(*)::int from account_note where account_id = $1))`,
      [owner.accountId, asha.accountId],
    );
    const added = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 ? asha : ravi).ask(ADD, { account: owner.accountId, body: `${n}` })),
    );
    expect(added.filter(({ errors }) => errors.length === 0)).toHaveLength(2);
    expect(added.flatMap(({ errors }) => errors.map(({ extensions }) => extensions['code']))).toEqual(
      Array.from({ length: 10 }, () => 'LIMIT_REACHED'),
    );
    expect(await notes()).toHaveLength(100);
  });

  it('stay when their author is gone', async () => {
    const leaving = await service.signedIn('leaving@example.com', 'support');
    const other = await service.signedIn('other@example.com');
    await leaving.data(ADD, { account: other.accountId, body: 'Written before I left' });
    await service.rows('delete from auth."user" where id = $1', [leaving.accountId]);
    const { account } = await asha.data(NOTES, { account: other.accountId });
    expect(account.notes).toMatchObject([{ body: 'Written before I left', authorEmail: null }]);
  });
});
