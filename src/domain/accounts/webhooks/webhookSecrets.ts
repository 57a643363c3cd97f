import { createHmac, randomBytes } from 'node:crypto';

import { execute, type Sql, statement } from '../../../db/sql.js';
import { newId } from '../../shared/ids.js';
import { Keyring, type MasterKeys, type Resealed } from '../../shared/secrets/keyring.js';
import { insertSecret, signingSecrets } from './endpoint.sql.js';

const SECRET_BYTES = 32;

/** What a stored secret is encrypted for. */
export function webhookSecretContext(accountId: string, endpointId: string, id: string): string {
  return `webhook-secret/${accountId}/${endpointId}/${id}`;
}

interface SecretPlace {
  readonly accountId: string;
  readonly endpointId: string;
  readonly id: string;
}

/** A page in order of the primary key, after the given place. */
export const WEBHOOK_SECRETS_AFTER = statement<
  SecretPlace & { most: number },
  { account_id: string; endpoint_id: string; id: string; master_key_id: string; sealed: Buffer }
>(
  'rewrap-webhook-secrets',
  `
    select account_id, endpoint_id, id, master_key_id, sealed from webhook_secret
    where (account_id, endpoint_id, id) > (:accountId, :endpointId, :id)
    order by account_id, endpoint_id, id limit :most`,
);

/** Stores the secret sealed under a new key, unless it changed in the meantime. */
export const REPLACE_WEBHOOK_SECRET = statement<Resealed & SecretPlace>(
  'rewrap-webhook-secret',
  `
    update webhook_secret set master_key_id = :masterKeyId, sealed = :sealed
    where sealed = :before and account_id = :accountId and endpoint_id = :endpointId and id = :id
    returning 1 as done`,
);

/** The secrets that webhooks are signed with. */
export class WebhookSecrets {
  private readonly keyring: Keyring;

  constructor(masterKeys: MasterKeys) {
    this.keyring = new Keyring(masterKeys, 'webhook-secret');
  }

  /** Makes the current secret of an endpoint that has none. @returns `whsec_…`, to be shown once */
  async create(sql: Sql, accountId: string, endpointId: string): Promise<string> {
    const key = randomBytes(SECRET_BYTES);
    const id = newId();
    await execute(sql, insertSecret, {
      accountId,
      endpointId,
      id,
      ...this.keyring.seal(key, webhookSecretContext(accountId, endpointId, id)),
    });
    return `whsec_${key.toString('base64')}`;
  }

  /** Those that sign now: one, or two while one is replaced. @throws UnreadableSecretError */
  async signing(sql: Sql, accountId: string, endpointId: string): Promise<Buffer[]> {
    const rows = await execute(sql, signingSecrets, { accountId, endpointId });
    return rows.map(({ id, master_key_id: masterKeyId, sealed }) =>
      this.keyring.open({ masterKeyId, sealed }, webhookSecretContext(accountId, endpointId, id)),
    );
  }
}

/** The headers of Standard Webhooks. The same id stands for the same event in every attempt. */
export function signedHeaders(keys: readonly Buffer[], id: string, body: string, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
