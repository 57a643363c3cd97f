import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { entities } from '../../src/db/entities.js';

/**
 * Statements that write a table of another folder, `file: table`, and why. A statement that writes several tables takes
 * the others' parts from their owners.
 */
const KNOWN: Readonly<Record<string, string>> = {
  'src/domain/playback/mint.sql.ts: api_key': 'minting counts the quota in the one statement that checks it',
};

/** Code that may read every table: the verification of the books, the doctor, totals, and the end of an account. */
const READS_EVERYTHING = [
  'src/domain/ledger/verify/',
  'src/domain/operations/backups/',
  'src/domain/operations/closing/',
  'src/domain/operations/doctor/',
  'src/domain/operations/totals/',
];

/**
 * Statements that read a table of another context, `file: table`, and why. All others use a query that the table's
 * context exports.
 */
const KNOWN_READS: Readonly<Record<string, string>> = {
  'src/adapters/identity/viewerOf.ts: account':
    'one round trip reads session and account, and adapters import no context',
  'src/adapters/queue/fairOrder.ts: test_account':
    'one statement finds the turn of a job, and adapters import no context',
  'src/domain/ledger/ledgerFunctions.ts: account': 'the posting functions lock the owner',
  'src/domain/ledger/statement.sql.ts: account':
    'the months of a statement begin with the account, and ledger may not import accounts',
  'src/domain/ledger/wallet.service.ts: video': 'entries are listed with video titles, and ledger may not import media',
  'src/domain/media/library/publishedVideos.ts: account':
    'a hot path: one round trip also reads whether the account is suspended',
  'src/domain/media/library/singleVideos.ts: api_key': 'a hot path: one round trip also reads the key',
  'src/domain/media/library/videoList.ts: api_key': 'the same',
  'src/domain/media/library/videoSorts.ts: playback_day':
    'lists are sorted by plays, and media may not import playback',
  'src/domain/media/library/videoRow.ts: api_key': 'the same',
  'src/domain/operations/support/staffRequest.sql.ts: api_key': 'a request is joined with what it is about',
  'src/domain/operations/support/staffRequest.sql.ts: topup': 'the same',
  'src/domain/shared/closedAccounts.ts: account_closing':
    'accounts, the night and the verification ask the same, and import no operations',
  'src/domain/shared/events/event.sql.ts: test_account': 'an event says its mode, and shared imports no other context',
  'src/domain/payments/billing/words.ts: processing': 'no query, but the words “Given back from processing”',
  'src/domain/payments/storage/night.sql.ts: stored_object': 'one statement measures a batch and charges it',
  'src/domain/payments/storage/overview.sql.ts: stored_object': 'payments may not import media',
  'src/domain/playback/mint.sql.ts: api_key': 'minting is one statement: key, quota and video',
  'src/domain/playback/mint.sql.ts: video': 'the same',
  'src/domain/playback/playableVideos.ts: account': 'a hot path: one round trip',
  'src/domain/playback/playableVideos.ts: api_key': 'the same',
  'src/domain/playback/playableVideos.ts: caption': 'the same',
  'src/domain/playback/playableVideos.ts: video': 'the same',
  'src/domain/accounts/webhooks/delivery.sql.ts: event': 'the event is read with the delivery that it is sent by',
};

/** Files that run what `execute` hands them. Rows get their type nowhere else. */
const RUN_STATEMENTS = ['src/db/database.ts', 'src/db/sql.ts', 'src/domain/operations/doctor/doctor.ts'];

const READ = /(?<!delete )\b(?:from|join)\s+(?:only\s+)?(?:public\.)?(\w+)\b(?!\()/g;

/** Calls of an entity manager; the entity comes first. */
const ENTITY_WRITE =
  /\.(?:insert|insertMany|upsert|upsertMany|create|createQueryBuilder|nativeUpdate|nativeDelete)\(\s*(\w+)[,)]/g;
const ENTITY_READ = /\.(?:find|findOne|findOneOrFail|count)\(\s*(\w+),/g;

const WRITE =
  /\b(?:insert\s+into|update|delete\s+from|truncate(?:\s+table)?|merge\s+into)\s+(?:only\s+)?(?:public\.)?(\w+)/g;

/** A write whose table is put in at runtime, so that the checks cannot see it. */
const COMPUTED_WRITE = /\b(?:insert\s+into|update|delete\s+from)\s+(?:only\s+)?(?:public\.)?\$\{/;

/** Files with such writes, and why. */
const KNOWN_COMPUTED: Readonly<Record<string, string>> = {
  'src/adapters/queue/pgBossQueue.ts': 'a job of the queue, in its own schema',
  'src/domain/playback/analytics/analytics.sql.ts':
    'one text for the rollups, which all have this folder as their owner',
  'src/domain/shared/clock/timesAhead.ts': 'one statement corrects the times that work of every context waits for',
  'src/domain/shared/movedTable.ts': 'an account that moves in brings rows of the tables that each context lists',
};

describe('a table', () => {
  const owners = ownersOfTables();

  it('has one owner: the folder of its entity', () => {
    expect(Object.keys(owners).toSorted()).toEqual(entities.map(({ meta }) => meta.tableName).toSorted());
  });

  it('is written by its owner only, with the exceptions listed here', () => {
    const writes = sources().flatMap(({ file, code }) =>
      [...tablesIn(code, WRITE), ...entitiesIn(file, code, ENTITY_WRITE)]
        .filter((table) => table in owners)
        .map((table) => ({ file, table, isOwner: `${dirname(file)}/`.startsWith(`${owners[table]}/`) })),
    );
    const outside = writes.filter(({ isOwner }) => !isOwner);
    process.stdout.write(
      `${outside.length} of ${writes.length} writes lie outside the folder of their table's owner\n`,
    );
    // A pattern that finds nothing would pass.
    expect(writes.length).toBeGreaterThan(200);
    expect([...new Set(outside.map(({ file, table }) => `${file}: ${table}`))].toSorted()).toEqual(
      Object.keys(KNOWN).toSorted(),
    );
  });

  it('is read by its context, by code that reads everything, and by the exceptions listed here', () => {
    const reads = sources().flatMap(({ file, code }) =>
      [...tablesIn(code, READ), ...entitiesIn(file, code, ENTITY_READ)]
        .filter((table) => table in owners)
        .map((table) => ({ file, table, isOwner: contextOf(file) === contextOf(`${owners[table]}/`) })),
    );
    const outside = reads.filter(
      ({ file, isOwner }) => !isOwner && !READS_EVERYTHING.some((folder) => file.startsWith(folder)),
    );
    process.stdout.write(`${outside.length} of ${reads.length} reads lie outside the context of their table\n`);
    expect(reads.length).toBeGreaterThan(400);
    expect([...new Set(outside.map(({ file, table }) => `${file}: ${table}`))].toSorted()).toEqual(
      Object.keys(KNOWN_READS).toSorted(),
    );
  });

  it('is named in the text of each write, except in the files listed here', () => {
    const computed = sources().filter(({ code }) => COMPUTED_WRITE.test(code));
    expect(computed.map(({ file }) => file).toSorted()).toEqual(Object.keys(KNOWN_COMPUTED).toSorted());
  });

  it.each([
    ['insert into video (id) values ($1)', ['video']],
    ['with gone as (delete from caption c using video v)', ['caption']],
    ['update\n  stored_object o set removed_at = null', ['stored_object']],
    ['select 1 from video for no key update', []],
    ['insert into a on conflict (id) do update set x = 1', ['a']],
  ])('is found as written in %j', (text, tables) => {
    expect(tablesIn(text, WRITE)).toEqual(tables);
  });

  it.each([
    ['select 1 from video v join account a on true', ['video', 'account']],
    ['delete from caption c using video v', []],
    ['select * from lock_wallet(:owner)', []],
  ])('is found as read in %j', (text, tables) => {
    expect(tablesIn(text, READ)).toEqual(tables);
  });
});

describe('an entity manager', () => {
  it('is found with the tables it writes and reads', () => {
    const file = 'src/domain/media/branding/brand.service.ts';
    const { code } = sources().find((source) => source.file === file)!;
    expect(entitiesIn(file, code, ENTITY_WRITE)).toEqual(['brand']);
    expect(entitiesIn(file, code, ENTITY_READ)).toEqual(['brand_logo', 'video']);
  });
});

describe('the ledger', () => {
  it('is written by posting.ts alone', () => {
    const calls = sources().filter(({ code }) => /(?<!function public\.)\bledger_post(?:_many)?\(/.test(code));
    expect(calls.map(({ file }) => file)).toEqual(['src/domain/ledger/posting.ts']);
  });
});

describe('a statement', () => {
  it('names its parameters', () => {
    const numbered = sources().filter(
      ({ file, code }) => /^src\/(domain|adapters)\//.test(file) && /(?<![.\w'])\$\d/.test(code),
    );
    expect(numbered.map(({ file }) => file)).toEqual([]);
  });

  it('alone has typed rows, which test/db/statements compares with the database', () => {
    const typed = sources().filter(({ code }) => /\.query<|: Statement = \{/.test(code));
    expect(typed.map(({ file }) => file).toSorted()).toEqual(RUN_STATEMENTS);
  });
});

/** The server's code without comments. */
function sources(): { file: string; code: string }[] {
  const files = globSync('src/**/*.ts', {
    exclude: (path) => /(^|\/)(migrations|dashboard|player|generated)$/.test(path),
  });
  return files.map((file) => ({
    file,
    code: readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'])\/\/[^\n]*/g, ''),
  }));
}

/** For example `src/domain/media`. */
function contextOf(path: string): string {
  return path.split('/', 3).join('/');
}

function tablesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, table]) => table!).filter((table) => table !== 'set');
}

/** The tables of the entities that a file hands to an entity manager, by its imports. */
function entitiesIn(file: string, code: string, pattern: RegExp): string[] {
  const tables = new Map<string, string>();
  for (const [, imported, from] of code.matchAll(/import \{([^}]*)\} from '([^']*\.entity)\.js'/g)) {
    const name = /(\w+)\s*(?:,|$)/.exec(imported!.replace(/^\s*\w+ as\s+/, '').trim())![1]!;
    tables.set(name, tableOf(join(dirname(file), `${from!}.ts`)));
  }
  return [...code.matchAll(pattern)].flatMap(([, name]) => tables.get(name!) ?? []);
}

function tableOf(entityFile: string): string {
  return /tableName: '(\w+)'/.exec(readFileSync(entityFile, 'utf8'))![1]!;
}

function ownersOfTables(): Readonly<Record<string, string>> {
  const files = globSync('src/**/*.entity.ts');
  return Object.fromEntries(files.map((file) => [tableOf(file), dirname(file)]));
}
