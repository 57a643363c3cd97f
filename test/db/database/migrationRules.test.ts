import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type MigrationPlan, planOf } from '../../../src/db/migrateTables.js';
import { migrations } from '../../../src/db/migrations/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { effectsOf, LOCK_MODES, type MigrationEffects } from '../../support/database/migrationEffects.js';
import { brokenRules, type MigrationRule } from '../../support/database/migrationRules.js';

/** Later migrations keep the rules. The previous version that `test/support/versionBefore.ts` names has this one. */
const LAST_WITHOUT_RULES = 'Migration0113AutomaticAllocation';

const UNRELEASED =
  'It is older than the rules, and runs before the first release, when no installation has a large table.';

/** Migrations that break a rule, with the reason why that stops nobody. Each rule that one breaks is named. */
const EXEMPT: Readonly<Record<string, Partial<Record<MigrationRule, string>>>> = {
  Migration0114VideosWaitingForCredits: { 'reads while locked': UNRELEASED },
  Migration0133StorageDraws: { 'reads while locked': UNRELEASED },
  Migration0130VideoBin: { 'reads while locked': UNRELEASED },
  Migration0141Retention: { 'reads while locked': UNRELEASED },
  Migration0147PlaybackMonths: { 'reads while locked': UNRELEASED },
  Migration0144VideoActivity: {
    'reads while locked':
      'An index of a table with partitions cannot be made concurrently. It runs before the first release, like those above.',
  },
  Migration0170TestFacts: { restricts: 'Its checks allow whatever those that they replace allowed.' },
};

interface Measured {
  readonly plan: MigrationPlan;
  readonly effects: MigrationEffects;
}

let database: TestDatabase;
let client: pg.Client;

async function open(from: 'empty' | 'template'): Promise<void> {
  database = await createTestDatabase(from);
  client = new pg.Client({ connectionString: database.migrationUrl });
  await client.connect();
}
async function close(): Promise<void> {
  await client?.end();
  await database?.drop();
}

describe('the migrations', () => {
  const measured: Measured[] = [];

  beforeAll(async () => {
    await open('empty');
    for (const migration of migrations) {
      const plan = await planOf(migration);
      measured.push({ plan, effects: await effectsOf(client, plan, measured.at(-1)?.effects.after) });
      await client.query('commit');
    }
  });
  afterAll(close);

  it('neither stop the service nor break the previous version, unless they are exempt with a reason', () => {
    const later = measured.slice(measured.findIndex(({ plan }) => plan.name === LAST_WITHOUT_RULES) + 1);
    expect(later.length).toBeLessThan(measured.length);
    const broken = later.flatMap(({ plan, effects }) =>
      brokenRules(plan, effects).map(({ rule, why }) => ({ name: plan.name, rule, why })),
    );
    expect(broken.filter(({ name, rule }) => EXEMPT[name]?.[rule] === undefined)).toEqual([]);
    const needed = new Set(broken.map(({ name, rule }) => `${name}: ${rule}`));
    const given = Object.entries(EXEMPT).flatMap(([name, rules]) =>
      Object.keys(rules).map((rule) => `${name}: ${rule}`),
    );
    expect(given.filter((exemption) => !needed.has(exemption))).toEqual([]);
  });

  it('lock what `dhara migrate --dry-run` says; regenerate it by `npm test -- test/db/database/migrationRules.test.ts --update`', async () => {
    const lines = measured
      .map(({ plan, effects }) => ({ name: plan.name, locks: locksOf(effects) }))
      .filter(({ locks }) => locks.length > 0)
      .map(({ name, locks }) => `  ${name}: ${JSON.stringify(locks)},\n`);
    await expect(
      '/** Made by test/db/database/migrationRules.test.ts: what migrations lock of tables that were there before them. */\n' +
        `export const MIGRATION_LOCKS: Readonly<Record<string, readonly string[]>> = {\n${lines.join('')}};\n`,
    ).toMatchFileSnapshot('../../../src/db/generated/migrationLocks.ts');
  });
});

/** In words, such as `video: access exclusive, reads every row`. */
function locksOf({ locks, scanned }: MigrationEffects): string[] {
  return [...locks]
    .filter(([, mode]) => LOCK_MODES.indexOf(mode) > 0)
    .map(([table, mode]) => {
      const words = mode
        .replace(/Lock$/, '')
        .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
        .toLowerCase();
      return `${table}: ${words}${scanned.has(table) ? ', reads every row' : ''}`;
    })
    .sort();
}

describe('a new migration', () => {
  beforeAll(() => open('template'));
  afterAll(close);

  async function rulesOf(statements: string[], isTransactional = true): Promise<string[]> {
    const plan = { name: 'Sample', statements, isTransactional };
    try {
      return [...new Set(brokenRules(plan, await effectsOf(client, plan)).map(({ rule }) => rule))].sort();
    } finally {
      await client.query('rollback');
    }
  }

  it.each<[MigrationRule | MigrationRule[], string]>([
    ['rewrites', `alter table video add column salt uuid not null default gen_random_uuid()`],
    ['rewrites', 'truncate notice'],
    [['changes a type', 'rewrites'], 'alter table notice alter column key type varchar(100)'],
    ['reads while locked', 'create index sample on video (title)'],
    [
      'reads while locked',
      'alter table video add column sample integer check (sample > 0), add constraint c check (title <> sample::text)',
    ],
    ['drops', 'drop table caption cascade'],
    ['drops', 'alter table video drop column title cascade'],
    ['drops', 'drop trigger ledger_entry_append_only on ledger_entry'],
    ['renames', 'alter table caption rename to caption_file'],
    ['renames', 'alter table video rename column title to name'],
    ['requires', 'alter table video add column sample integer not null'],
    ['requires', 'alter table video alter column deletions drop default'],
    ['restricts', `alter table video add constraint sample check (title <> '') not valid`],
    ['restricts', `create unique index sample on caption (account_id, lower(label))`],
    ['changes a function', 'drop function lock_wallet(uuid)'],
    [
      'changes a function',
      `create function lock_wallet(p_owner uuid, p_fast boolean default false) returns void language sql as ''`,
    ],
    ['changes a function', `alter function lock_wallet(uuid) rename to lock_accounts`],
    ['writes rows', `update video set title = trim(title)`],
    ['writes rows', `delete from notice`],
  ])('that breaks the rule "%s" is refused: %s', async (rules, statement) => {
    expect(await rulesOf([statement])).toEqual(expect.arrayContaining([rules].flat()));
  });

  it.each([
    'alter table video add column sample text',
    'alter table video add column sample integer not null default 0',
    `alter table video add column sample text, add constraint sample check (sample <> '') not valid`,
    `alter table ledger_tx validate constraint ledger_tx_type_check`,
    `create table sample (account_id uuid references account, id uuid, primary key (account_id, id)); create index on sample (id)`,
    `create function lock_wallet(p_owner uuid, p_fast boolean) returns void language sql as ''`,
    `create or replace function new_referral_code() returns text language sql as $$ select 'x' $$`,
    `insert into ledger_rule values ('TOPUP', 'sample', 63, -1)`,
  ])('that keeps the rules is allowed: %s', async (statement) => {
    expect(await rulesOf([statement])).toEqual([]);
  });

  it('may make indexes, validate constraints and fill rows outside a transaction, if it can be repeated', async () => {
    const index = 'create index concurrently sample on video (title)';
    expect(
      await rulesOf(
        [
          'drop index concurrently if exists sample',
          index,
          'alter table ledger_tx validate constraint ledger_tx_type_check',
          `do $$
           begin
             loop
               update video set title = trim(title) where (account_id, id) in (
                 select account_id, id from video where title <> trim(title) limit 1000 for update skip locked);
               exit when not found;
               commit;
             end loop;
           end $$`,
          'drop index concurrently if exists sample',
        ],
        false,
      ),
    ).toEqual([]);
    const plan = (statement: string) => ({ name: 'Sample', statements: [statement], isTransactional: false });
    const nothing: MigrationEffects = await effectsOf(client, { ...plan(''), statements: [] });
    for (const refused of [index, 'create index sample on video (title)', 'update video set title = trim(title)']) {
      expect(brokenRules(plan(refused), nothing).map(({ rule }) => rule)).toEqual(['outside a transaction']);
    }
  });
});
