import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

import { HttpMetrics } from '../../../src/api/http/metrics.js';
import type { AppOptions } from '../../../src/app/options.js';
import { openReplicaReads } from '../../../src/app/replicaReads.js';
import type { Services } from '../../../src/app/services.js';
import { refuseUnfitDatabase } from '../../../src/cli/openApp.js';
import { type Config, ConfigError } from '../../../src/config/config.js';
import { PostgresDatabase } from '../../../src/db/database.js';
import { ReadReplica } from '../../../src/db/readReplica.js';
import type { Logger } from '../../../src/logger.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
let db: PostgresDatabase;
let superuserUrl: string;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await PostgresDatabase.connect({ url: database.runtimeUrl, maxConnections: 1 });
  superuserUrl = inject('testPostgres').superuserBaseUrl + database.name;
});
afterAll(async () => {
  await db?.close();
  await database?.drop();
});

/** What a process says of its databases before it serves. */
async function start(NODE_ENV: 'production' | 'development', DATABASE_READ_URL: string): Promise<string[]> {
  const said: string[] = [];
  const logger = { warn: (line: string) => said.push(line) } as unknown as Logger;
  await refuseUnfitDatabase(database, { NODE_ENV, DATABASE_READ_URL } as Config, logger);
  return said;
}

describe('the role of DATABASE_READ_URL', () => {
  it.each([
    ['a superuser', () => superuserUrl, /^DATABASE_READ_URL: role postgres\. The role is a superuser\. To fix it: /],
    [
      'the owner of the tables',
      () => database.migrationUrl,
      /^DATABASE_READ_URL: role dhara_owner\. The role has the rights of dhara_owner, who owns it\. To fix it: /,
    ],
  ])('must not be %s in production, which does not start; elsewhere it is told', async (_, url, why) => {
    const refused = await start('production', url()).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect((refused as Error).message).toMatch(why);
    expect((await start('development', url())).join('\n')).toContain(
      'DATABASE_READ_URL, which production would refuse',
    );
  });

  it('may be that of the service, and a replica that does not answer stops nothing', async () => {
    expect(await start('production', database.runtimeUrl)).toEqual([]);
    expect(await start('production', 'postgres://dhara_app@127.0.0.1:1/dhara')).toEqual([]);
  });

  it('is asked again when a replica is found that did not answer at the start: it is not read', async () => {
    const faultOf = (url: string) =>
      ReadReplica.faultOf({
        primary: db,
        url,
        maxConnections: 1,
        maxLagMs: 3000,
        refusesUnfitRole: true,
        log: () => undefined,
      });
    expect(await faultOf(superuserUrl)).toContain('The role is a superuser.');
    expect(await faultOf(database.migrationUrl)).toContain('The role has the rights of dhara_owner');
    // The role is right, and this is no standby.
    expect(await faultOf(database.runtimeUrl)).toBe('it is not in recovery');
  });
});

it('the position of the primary is known while all connections of the pool are in use', async () => {
  const settings = {
    DATABASE_READ_URL: database.runtimeUrl,
    DATABASE_READ_LAG_SECONDS: 3,
    DATABASE_POOL_SIZE: 2,
    NODE_ENV: 'test',
  };
  const options = {
    config: settings as unknown as Config,
    runtimeUrl: database.runtimeUrl,
    publicUrl: 'http://localhost',
    logger: { warn: () => undefined } as unknown as Logger,
  };
  await db.transaction(async () => {
    const opened = await openReplicaReads(options as AppOptions, { db } as Services, new HttpMetrics());
    try {
      const response = new ServerResponse(new IncomingMessage(new Socket()));
      opened!.yourWrites.wrote(response);
      expect(String(response.getHeader('set-cookie'))).toMatch(/^dhara_read_after=\d+; /);
    } finally {
      await opened!.close();
    }
  });
});
