import type pg from 'pg';

import { MigrationError } from './migrationErrors.js';
import { baseline } from './migrations/index.js';
import { REPLACED } from './migrations/replaced.js';

/** A commit that still has the replaced migrations. It migrates every database that stopped among them. */
const LAST_WITH_THEM = 'dd3e157b';

const BASELINE: readonly string[] = baseline.map(({ name }) => name);

/** A database that ran only some of the replaced migrations: the baseline can neither run on it nor count as run. */
export class DatabaseTooOldError extends MigrationError {
  constructor(readonly missing: readonly string[]) {
    const some = missing.slice(0, 3).join(', ') + (missing.length > 3 ? ` and ${missing.length - 3} more` : '');
    super(
      'Listing migrations',
      `This database is too old for this version: it lacks ${some}, which this version no longer has one by one. ` +
        `Run \`dhara migrate\` of commit ${LAST_WITH_THEM} first, then of this version. Nothing was changed.`,
    );
    this.name = 'DatabaseTooOldError';
  }
}

/**
 * What counts as run, given what the journal says: a database that ran all replaced migrations has the baseline.
 *
 * @throws DatabaseTooOldError if it ran only some of them
 */
export function withBaseline(applied: ReadonlySet<string>): ReadonlySet<string> {
  const missing = REPLACED.filter((name) => !applied.has(name));
  if (missing.length === 0) return new Set([...applied, ...BASELINE]);
  if (missing.length < REPLACED.length) throw new DatabaseTooOldError(missing);
  return applied;
}

/**
 * Adds the baseline to the journal of a database that ran all replaced migrations, for MikroORM's own command line and for
 * later versions, which need not know their names. One statement, and none of their rows is changed.
 */
export async function recordBaseline(client: pg.Client): Promise<void> {
  await client.query(
    `insert into mikro_orm_migrations (name)
     select name from unnest($1::text[]) with ordinality baseline(name, nth)
     where name not in (select name from mikro_orm_migrations)
       and (select count(distinct name) from mikro_orm_migrations where name = any ($2)) = cardinality($2::text[])
     order by nth`,
    [BASELINE, REPLACED],
  );
}
