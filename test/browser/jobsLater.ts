import type { Client } from 'pg';

/** While this runs, workers leave new processing jobs for later: what is bought stays queued. */
export async function withJobsLater(database: Client, run: () => Promise<void>): Promise<void> {
  await database.query(`
    create function leave_for_later() returns trigger language plpgsql as $$
      begin new.start_after := now() + interval '1 hour'; return new; end $$;
    create trigger leave_for_later before insert on pgboss.job for each row
      when (new.name = 'process-video') execute function leave_for_later()`);
  try {
    await run();
  } finally {
    await database.query('drop trigger leave_for_later on pgboss.job; drop function leave_for_later()');
  }
}
