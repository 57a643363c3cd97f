import pg from 'pg';
import { expect } from 'vitest';

import type { Database } from '../../../src/db/sql.js';
import { deadlocks } from '../database/deadlocks.js';
import { IS_FULL } from '../effort.js';
import { eventsOf } from './log.js';

export const ROUNDS = IS_FULL ? 1_000 : 6;

/** What leads to events, and may be repeated: by a retry of a job, a webhook that comes again, a second click. */
export interface Cause {
  readonly accountIds: readonly string[];
  readonly run: () => Promise<unknown>;
}

/** The events of all accounts that follow from a cause, however often it runs. */
export type LeadsTo = Readonly<Record<string, number>>;

/**
 * Refuses the commit of every transaction that writes an event of these accounts: as late as a transaction can fail, with
 * everything done.
 */
export class Refusal {
  private constructor(private readonly owner: pg.Client) {}

  static async in(migrationUrl: string): Promise<Refusal> {
    const owner = new pg.Client({ connectionString: migrationUrl });
    await owner.connect();
    await owner.query('create table refused (account_id uuid primary key)');
    await owner.query(`
      create function refuse_event() returns trigger language plpgsql security definer as $$
      begin
        if exists (select from public.refused r where r.account_id = new.account_id) then
          raise exception 'refused at the commit';
        end if;
        return null;
      end $$`);
    await owner.query(`
      create constraint trigger refused_at_commit after insert on event_fact deferrable initially deferred
        for each row execute function refuse_event()`);
    return new Refusal(owner);
  }

  async while(accountIds: readonly string[], work: () => Promise<unknown>): Promise<void> {
    await this.owner.query('insert into refused select unnest($1::uuid[])', [accountIds]);
    await work();
    await this.owner.query('delete from refused where account_id = any ($1)', [accountIds]);
  }

  async end(): Promise<void> {
    await this.owner.query('drop function refuse_event cascade');
    await this.owner.query('drop table refused');
    await this.owner.end();
  }
}

async function countsOf(db: Database, accountIds: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const accountId of accountIds) {
    for (const { type } of await eventsOf(db, accountId)) counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}

/** Every second round begins with a transaction that is rolled back at its commit. */
async function playRound(
  db: Database,
  refusal: Refusal,
  leadsTo: LeadsTo,
  { accountIds, run }: Cause,
  round: number,
): Promise<void> {
  const before = await countsOf(db, accountIds);
  if (round % 2 === 0) {
    await refusal.while(accountIds, () => run().catch(() => undefined));
    expect(await countsOf(db, accountIds), `round ${round}, rolled back`).toEqual(before);
  }
  await Promise.allSettled([run(), run(), run()]);
  await run().catch(() => undefined);
  const expected = { ...before };
  for (const [type, count] of Object.entries(leadsTo)) expected[type] = (expected[type] ?? 0) + count;
  expect(await countsOf(db, accountIds), `round ${round}`).toEqual(expected);
}

/**
 * Runs that fail are part of a round, but no two may wait for each other.
 *
 * @param sideBySide how many rounds are played at a time; more than one if each touches its own accounts alone
 */
export async function playRounds(
  db: Database,
  refusal: Refusal,
  leadsTo: LeadsTo,
  prepare: () => Promise<Cause>,
  sideBySide = 1,
): Promise<void> {
  const before = await deadlocks(db.sql);
  let next = 0;
  const play = async (): Promise<void> => {
    for (let round = next++; round < ROUNDS; round = next++) {
      await playRound(db, refusal, leadsTo, await prepare(), round);
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, play));
  expect(await deadlocks(db.sql), 'deadlocks').toBe(before);
}
