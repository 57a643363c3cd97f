import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import pg from 'pg';
import { inject } from 'vitest';

import { OWNER_ROLE } from '../../src/db/embedded/cluster.js';
import type { Sql } from '../../src/db/sql.js';
import { checkLedger, describeFault } from '../../src/domain/ledger/verify/verify.js';
import { query } from './database/query.js';

export interface TestDatabase {
  readonly name: string;
  /** Connects as the role that owns the database and everything in it. */
  readonly migrationUrl: string;
  /** Connects as the role of the running service. */
  readonly runtimeUrl: string;
  /** Skips the final verification of the books, with the reason: the test forges them or writes them by hand. */
  leaveUnproven(reason: string): void;
  /**
   * Verifies the books and drops the database, ending open connections.
   *
   * @throws if the books have faults after the test.
   */
  drop(): Promise<void>;
}

/**
 * A database for the caller, migrated and empty: a clone of the run's template (about 30 ms).
 *
 * @param from `template` for the migrated schema, `empty` for a database without any table.
 */
export async function createTestDatabase(from: 'template' | 'empty' = 'template'): Promise<TestDatabase> {
  const { superuserBaseUrl, migrationBaseUrl, runtimeBaseUrl, templateDatabase } = inject('testPostgres');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const source = from === 'template' ? templateDatabase : 'template1';
  const adminUrl = `${superuserBaseUrl}postgres`;
  // Files are copied in half the time that pages are: nothing here waits for a disk.
  await query(adminUrl, `create database ${name} template ${source} owner ${OWNER_ROLE} strategy file_copy`);
  // A clone has the objects of its template, but not the rights on the database.
  if (from === 'template') await query(adminUrl, `revoke temporary on database ${name} from public`);

  const migrationUrl = `${migrationBaseUrl}${name}`;
  let isProven = from === 'template';
  return {
    name,
    migrationUrl,
    runtimeUrl: `${runtimeBaseUrl}${name}`,
    leaveUnproven: (reason) => (isProven = reason === ''),
    async drop() {
      const faults = isProven ? await bookFaults(migrationUrl) : [];
      await drop(adminUrl, name);
      if (faults.length > 0) throw new Error(`the books do not hold:\n${faults.join('\n')}`);
    },
  };
}

const GOODBYE_MS = 500;

/** Waits for pools that are still closing: a client cut off while it closes would fail the whole run. */
async function drop(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const deadline = performance.now() + GOODBYE_MS;
    for (;;) {
      const { rowCount } = await client.query('select from pg_stat_activity where datname = $1', [name]);
      if (rowCount === 0 || performance.now() > deadline) break;
      await delay(10);
    }
    await client.query(`drop database if exists ${name} with (force)`);
  } finally {
    await client.end();
  }
}

/** The faults that a full verification finds, if anything was posted. */
async function bookFaults(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from ledger_tx limit 1');
    if (rowCount === 0) return [];
    await client.query('begin isolation level repeatable read');
    const query: Sql['query'] = async ({ text }, values) => (await client.query(text, [...(values ?? [])])).rows;
    return (await checkLedger({ query })).faults.map(describeFault);
  } finally {
    await client.end();
  }
}
