import { env } from 'node:process';

import pg from 'pg';

import { connectionTo } from './connection.js';

const VIRTUAL_CLOCK = `
  create or replace function public.service_now() returns timestamptz
    language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
     begin
       return clock_timestamp() + (select offset_ms from public.virtual_clock) * interval '1 millisecond';
     end $$;`;

/**
 * Replaces `service_now()` with an adjustable clock, so that tests and demos can pass midnights and expiries.
 *
 * Written in plpgsql, so that a change takes effect at the next reading, even inside a waiting statement.
 *
 * @param migrationUrl the database as the owner of its tables
 * @throws in production. This guard reads the environment itself, so that no caller can forget it.
 */
export async function installVirtualClock(migrationUrl: string): Promise<void> {
  refuseInProduction();
  await execute(
    migrationUrl,
    `begin;
     select pg_advisory_xact_lock(7140912);
     create table if not exists public.virtual_clock (only_row boolean primary key default true check (only_row), offset_ms bigint not null);
     insert into public.virtual_clock (offset_ms) values (0) on conflict do nothing;
     ${VIRTUAL_CLOCK}
     commit;`,
  );
}

/**
 * If a database already has an adjustable clock, replaces it with this build's version, which may differ from an
 * earlier one.
 */
export async function renewVirtualClock(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`select where to_regclass('public.virtual_clock') is not null`);
  if (rows.length > 0) await client.query(VIRTUAL_CLOCK);
}

/** Sets the virtual clock to `offsetMs` after (or, if negative, before) the real time, for every process at once. */
export async function setClockOffset(migrationUrl: string, offsetMs: number): Promise<void> {
  refuseInProduction();
  await execute(migrationUrl, 'update virtual_clock set offset_ms = $1', [Math.trunc(offsetMs)]);
}

function refuseInProduction(): void {
  if (env['NODE_ENV'] === 'production') throw new Error('Production keeps the real time.');
}

async function execute(url: string, sql: string, values?: unknown[]): Promise<void> {
  const client = new pg.Client(connectionTo(url));
  await client.connect();
  try {
    await client.query(sql, values);
  } finally {
    await client.end();
  }
}
