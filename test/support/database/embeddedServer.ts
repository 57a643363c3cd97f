/**
 * A process that holds an embedded PostgreSQL, for tests that kill it.
 *
 * Takes the data directory as its argument, writes one line of JSON when the database is ready, and lives until it is
 * killed.
 */
import { pino } from 'pino';

import { acquireDataDirLock, startEmbeddedPostgres } from '../../../src/db/embedded/index.js';

export interface ServerFacts {
  readonly postgresPid: number;
  readonly migrationUrl: string;
}

const dataDir = process.argv[2] ?? '';
await acquireDataDirLock(dataDir);
const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) });
const facts: ServerFacts = { postgresPid: postgres.pid(), migrationUrl: postgres.migrationUrl };
process.stdout.write(`${JSON.stringify(facts)}\n`);
