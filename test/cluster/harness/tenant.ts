import { PostgresDatabase } from '../../../src/db/database.js';
import { fundWallet } from '../../support/accounts.js';
import { Client } from '../../support/graphql/client.js';
import { signUpOwner, type Owner } from '../../support/owner.js';
import type { Cluster } from './cluster.js';

/** For more videos than a load uploads. */
const CREATIVE_MICROS = 100_000_000_000n;

/** The owner of the load. */
export interface Tenant extends Owner {
  /** The owner's browser at this API process. */
  clientOf(url: string): Client;
}

export async function makeTenant({ apis, publicUrl, databaseUrls }: Cluster): Promise<Tenant> {
  const { owner: migrationUrl, runtime: runtimeUrl } = databaseUrls;
  const owner = await signUpOwner(apis[0]!.url, publicUrl, { migrationUrl, runtimeUrl });
  const { accountId, cookie } = owner;
  const db = await PostgresDatabase.connect({ url: runtimeUrl, maxConnections: 1 });
  try {
    await fundWallet(db, accountId, { CREATIVE: CREATIVE_MICROS });
  } finally {
    await db.close();
  }
  return { ...owner, clientOf: (url) => new Client(url, cookie, accountId, { origin: publicUrl }) };
}
