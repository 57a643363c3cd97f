import { randomBytes } from 'node:crypto';

import { execute, type Sql } from '../../../db/sql.js';
import { newId } from '../../shared/ids.js';
import { Keyring, type MasterKeys } from '../../shared/secrets/keyring.js';
import { insertSecret, signingSecrets } from './endpoint.sql.js';
import { SECRET_PREFIX } from './signature.js';

const SECRET_BYTES = 32;

/** What a stored secret is encrypted for. */
export function webhookSecretContext(accountId: string, endpointId: string, id: string): string {
  return `webhook-secret/${accountId}/${endpointId}/${id}`;
}

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
    return `${SECRET_PREFIX}${key.toString('base64')}`;
  }

  /** Those that sign now: one, or two while one is replaced. @throws UnreadableSecretError */
  async signing(sql: Sql, accountId: string, endpointId: string): Promise<Buffer[]> {
    const rows = await execute(sql, signingSecrets, { accountId, endpointId });
    return rows.map(({ id, master_key_id: masterKeyId, sealed }) =>
      this.keyring.open({ masterKeyId, sealed }, webhookSecretContext(accountId, endpointId, id)),
    );
  }
}
