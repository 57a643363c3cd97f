import type { MigrationPlan } from '../../../src/db/migrateTables.js';
import { type Catalogue, holdsUpWriters, type MigrationEffects } from './migrationEffects.js';

/** Why a migration could stop the service, or break the version that runs beside it. */
export type MigrationRule =
  | 'rewrites'
  | 'reads while locked'
  | 'writes rows'
  | 'drops'
  | 'renames'
  | 'changes a type'
  | 'requires'
  | 'restricts'
  | 'changes a function'
  | 'outside a transaction';

export interface BrokenRule {
  readonly rule: MigrationRule;
  /** One sentence, with what to do instead. */
  readonly why: string;
}

/** The rules that a migration breaks. CONTRIBUTING.md, "Add a migration", says how to keep them. */
export function brokenRules(plan: MigrationPlan, effects: MigrationEffects): BrokenRule[] {
  const broken: BrokenRule[] = [];
  const add = (rule: MigrationRule, why: string): void => void broken.push({ rule, why });
  waits(effects, add);
  const { before, after } = effects;
  relations(before, after, add);
  columns(before, after, add);
  restrictions(before, after, add);
  routines(before, after, add);
  if (!plan.isTransactional) repetitions(plan.statements, add);
  return broken;
}

type Add = (rule: MigrationRule, why: string) => void;

/** The locks of one transaction are held until its end, whichever statement took them. */
function waits({ locks, scanned, before, after }: MigrationEffects, add: Add): void {
  for (const [key, { name, file }] of before.relations) {
    const now = after.relations.get(key);
    if (now && now.file !== file) add('rewrites', `It rewrites ${name}: add a column and fill it in batches.`);
  }
  const exclusive = [...locks].filter(([, mode]) => holdsUpWriters(mode)).map(([table]) => table);
  for (const table of scanned) {
    if (exclusive.length > 0) {
      add(
        'reads while locked',
        `It reads all of ${table} while writers of ${exclusive.join(', ')} wait: create indexes concurrently, and add constraints as NOT VALID, validated by a separate migration.`,
      );
    }
    if (locks.get(table) === 'RowExclusiveLock') {
      add('writes rows', `It changes rows of ${table} in one transaction, and reads all of it: fill it in batches.`);
    }
  }
}

function relations(before: Catalogue, after: Catalogue, add: Add): void {
  for (const [key, { name }] of before.relations) {
    const now = after.relations.get(key);
    if (!now) add('drops', `It drops ${name}, which the previous version uses: drop it in the release after.`);
    else if (now.name !== name)
      add('renames', `It renames ${name} to ${now.name}: the previous version knows only ${name}.`);
  }
  for (const [key, trigger] of before.triggers) {
    if (!after.triggers.has(key))
      add('drops', `It drops the trigger ${trigger}, on which the previous version relies.`);
  }
}

function columns(before: Catalogue, after: Catalogue, add: Add): void {
  for (const [key, { table, name, type, isRequired, hasDefault }] of before.columns) {
    const now = after.columns.get(key);
    if (!now) {
      // The columns of a table that is gone have been said with it.
      if (after.relations.has(key.split('.')[0]!)) {
        add('drops', `It drops ${table}.${name}, which the previous version uses: drop it in the release after.`);
      }
      continue;
    }
    const column = `${table}.${name}`;
    if (now.name !== name) add('renames', `It renames ${column} to ${now.name}: add a column instead.`);
    if (now.type !== type) add('changes a type', `It makes ${column} a ${now.type}: add a column instead.`);
    if (now.isRequired && !isRequired)
      add('requires', `${column} becomes NOT NULL, and the previous version may leave it out.`);
    if (hasDefault && !now.hasDefault)
      add('requires', `${column} loses its default, and the previous version may leave it out.`);
  }
  for (const [key, { table, name, isRequired, hasDefault }] of after.columns) {
    if (before.columns.has(key) || !before.relations.has(key.split('.')[0]!)) continue;
    if (isRequired && !hasDefault) {
      add('requires', `${table}.${name} is new and NOT NULL without a default, so the previous version cannot insert.`);
    }
  }
}

/** Restrictions of a new column are those of the new version alone. */
function restrictions(before: Catalogue, after: Catalogue, add: Add): void {
  const known = new Set([...before.restrictions.values()].map(({ table, definition }) => `${table} ${definition}`));
  for (const { table, name, definition, columns: named } of after.restrictions.values()) {
    const isOfOldTable = [...before.relations.values()].some((relation) => relation.name === table);
    const isNew = !known.has(`${table} ${definition}`) && !known.has(`${table} ${definition} NOT VALID`);
    if (isOfOldTable && isNew && named.every((column) => before.columns.has(column))) {
      add('restricts', `${name} restricts ${table}, and the previous version does not know it: ${definition}.`);
    }
  }
}

function routines(before: Catalogue, after: Catalogue, add: Add): void {
  const old = [...before.routines];
  for (const [key, { name, form }] of old) {
    const now = after.routines.get(key);
    if (!now) add('changes a function', `It drops ${name}(${form}): the previous version may call it.`);
    else if (now.name !== name || now.form !== form) {
      add('changes a function', `It makes ${name}(${form}) ${now.name}(${now.form}): give the new one another name.`);
    }
  }
  for (const [key, { name, form, least, most }] of after.routines) {
    if (before.routines.has(key)) continue;
    if (old.some(([, other]) => other.name === name && other.most >= least && other.least <= most)) {
      add(
        'changes a function',
        `It adds ${name}(${form}), which calls of the other one could mean: give it another name.`,
      );
    }
  }
}

const DROP_INDEX = /^drop index concurrently if exists (\S+)$/i;
const CREATE_INDEX = /^create (?:unique )?index concurrently (\S+) on /i;
const VALIDATE = /^alter table \S+ validate constraint \S+$/i;
const BATCHES = /^do \$\$[\s\S]*\blimit \d+[\s\S]*\bcommit;[\s\S]*\$\$$/i;

/** A run that ends half-way starts such a migration again, and nothing may be locked for long. */
function repetitions(statements: readonly string[], add: Add): void {
  statements.forEach((given, nth) => {
    const statement = given.trim();
    const [, created] = CREATE_INDEX.exec(statement) ?? [];
    if (created !== undefined) {
      const [, dropped] = DROP_INDEX.exec(statements[nth - 1]?.trim() ?? '') ?? [];
      if (dropped === created) return;
      add(
        'outside a transaction',
        `An attempt that failed leaves ${created} invalid: put "drop index concurrently if exists ${created}" before it.`,
      );
    } else if (![DROP_INDEX, VALIDATE, BATCHES].some((allowed) => allowed.test(statement))) {
      add(
        'outside a transaction',
        `Outside a transaction, only indexes are made and dropped concurrently, constraints validated, and rows filled in batches with a limit and a commit: ${statement.slice(0, 80)}`,
      );
    }
  });
}
