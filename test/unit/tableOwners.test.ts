import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { entities } from '../../src/db/entities.js';

/**
 * Statements that write a table of another folder, `file: table`, and why. A statement that writes several tables is in
 * the folder that decides whether anything is written.
 */
const KNOWN: Readonly<Record<string, string>> = {
  'src/adapters/identity/options.ts: access_token':
    'a password reset ends the tokens, too; an adapter imports no domain',
  'src/db/ledgerFunctions.ts: ledger_tx': 'the functions that book: only they may write the ledger',
  'src/db/ledgerFunctions.ts: ledger_account': 'the same',
  'src/db/ledgerFunctions.ts: ledger_entry': 'the same',
  'src/db/ledgerFunctions.ts: ledger_rule': 'migrations install the rules of ledgerRules.ts',
  'src/domain/media/objects/remeasure.sql.ts: storage_night':
    'the night says when objects are measured; media may not import payments',
  'src/domain/media/pipeline/attempt.sql.ts: rendition': 'publishing writes what it has made of the video',
  'src/domain/media/pipeline/attempt.sql.ts: video': 'the pipeline moves a video from queued to ready or failed',
  'src/domain/media/pipeline/measure.service.ts: video': 'the pipeline says what an uploaded file is',
  'src/domain/media/pipeline/purchase.sql.ts: video': 'a purchase queues the video',
  'src/domain/media/uploads/upload.sql.ts: video': 'an upload and its video change in one statement',
  'src/domain/media/uploads/upload.sql.ts: stored_object': 'the same: a finished upload takes up room',
  'src/domain/media/pipeline/measure.service.ts: stored_object': 'in one statement with the video it refuses',
  'src/domain/media/pipeline/leftovers.sql.ts: media_key': 'in one statement with the output it sweeps',
  'src/domain/payments/settlement/payment.sql.ts: topup': 'a payment credits its top-up in its own transaction',
  'src/domain/payments/settlement/payment.sql.ts: alert': 'in one statement with the payment it is about',
  'src/domain/payments/settlement/payment.sql.ts: refund_request': 'a refund answers the request it came from',
  'src/domain/payments/storage/reversal.sql.ts: service_clock': 'in one statement with the reversal it begins',
  'src/domain/playback/mint.sql.ts: api_key': 'minting counts the quota in the one statement that checks it',
  'src/domain/shared/clock/clock.sql.ts: stored_object': 'after a clock fault; shared imports no other context',
  'src/domain/shared/clock/clock.sql.ts: alert': 'the clock settles the alerts it has raised',
};

/** Code that may read every table, and write none: the verification of the books, and the doctor. */
const READS_EVERYTHING = ['src/domain/ledger/verify/', 'src/domain/operations/doctor/'];

/**
 * Statements that read a table of another context, `file: table`, and why. All others use a query that the table's
 * context exports.
 */
const KNOWN_READS: Readonly<Record<string, string>> = {
  'src/adapters/identity/viewerOf.ts: account': 'one round trip for session and account; adapters import no context',
  'src/db/ledgerFunctions.ts: account': 'the functions that book lock the owner',
  'src/db/ledgerFunctions.ts: ledger_account': 'the functions that book',
  'src/db/ledgerFunctions.ts: ledger_entry': 'the same',
  'src/db/ledgerFunctions.ts: ledger_rule': 'the same',
  'src/db/ledgerFunctions.ts: ledger_tx': 'the same',
  'src/db/paymentSandboxTables.ts: payment_sandbox_order': 'makes and drops the tables',
  'src/domain/ledger/wallet.service.ts: video': 'titles beside entries; ledger may not import media',
  'src/domain/media/library/publishedVideos.ts: account': 'a hot path: whether it is suspended, in the same round trip',
  'src/domain/media/library/singleVideos.ts: api_key': 'a hot path: the key in the same round trip',
  'src/domain/media/library/videoList.ts: api_key': 'the same',
  'src/domain/media/library/videoRow.ts: api_key': 'the same',
  'src/domain/media/objects/remeasure.sql.ts: storage_night': 'media may not import payments',
  'src/domain/media/pipeline/leftovers.sql.ts: escrow': 'escrows without an attempt: a join of both',
  'src/domain/media/pipeline/purchase.sql.ts: account': 'the quote is locked in the statement that looks',
  'src/domain/media/pipeline/quote.service.ts: ledger_account': 'DEBT beside the price, in one statement',
  'src/domain/media/uploads/uploadAllowance.ts: ledger_account':
    'what is spendable beside what is stored, at one moment',
  'src/domain/operations/support/staffRequest.sql.ts: api_key': 'joined with what the request is about',
  'src/domain/operations/support/staffRequest.sql.ts: topup': 'the same',
  'src/domain/payments/billing/lowBalance.sql.ts: account': 'finds whoever has fallen in one statement',
  'src/domain/payments/billing/lowBalance.sql.ts: ledger_account': 'the same',
  'src/domain/payments/billing/lowBalance.sql.ts: ledger_tx': 'the same',
  'src/domain/payments/billing/statement.sql.ts: account': 'a statement of account is a sum over the ledger',
  'src/domain/payments/billing/statement.sql.ts: ledger_account': 'the same',
  'src/domain/payments/billing/statement.sql.ts: ledger_entry': 'the same',
  'src/domain/payments/billing/statement.sql.ts: ledger_tx': 'the same',
  'src/domain/payments/billing/words.ts: processing': 'what an entry was for, joined with its video',
  'src/domain/payments/storage/night.sql.ts: account': 'walks all owners',
  'src/domain/payments/storage/night.sql.ts: service_clock': 'whether the clock is held decides in the statement',
  'src/domain/payments/storage/night.sql.ts: stored_object': 'charges a batch in the statement that measures it',
  'src/domain/payments/storage/overview.sql.ts: ledger_account': 'bytes and credits at one moment',
  'src/domain/payments/storage/overview.sql.ts: stored_object': 'the same',
  'src/domain/playback/mint.sql.ts: api_key': 'minting is one statement: key, quota and video',
  'src/domain/playback/mint.sql.ts: video': 'the same',
  'src/domain/playback/playableVideos.ts: account': 'a hot path: one round trip',
  'src/domain/playback/playableVideos.ts: api_key': 'the same',
  'src/domain/playback/playableVideos.ts: caption': 'the same',
  'src/domain/playback/playableVideos.ts: video': 'the same',
  'src/domain/accounts/webhooks/delivery.sql.ts: event': 'the event is read with the delivery that it is sent by',
};

/** Files with statements whose parameters still have numbers, and why. */
const KNOWN_NUMBERS: Readonly<Record<string, string>> = {
  'src/adapters/identity/attempts.ts': 'sent over a pool of its own, which knows no named parameters',
  'src/adapters/identity/createUser.ts': 'the same',
  'src/adapters/identity/links.ts': 'the same',
  'src/adapters/identity/options.ts': 'the same',
  'src/adapters/identity/signInWithPassword.ts': 'the same',
  'src/adapters/identity/viewerOf.ts': 'the same',
  'src/adapters/queue/pgBossQueue.ts': 'sent over a connection of the job queue, which knows no named parameters',
  'src/domain/ledger/ledgerWalks.ts': 'four walks that share their conditions, put together from parts',
  'src/domain/media/library/publishedMedia.ts': 'a hot path',
  'src/domain/media/library/publishedVideos.ts': 'a hot path',
  'src/domain/media/library/singleVideos.ts': 'a hot path',
  'src/domain/media/library/videoList.ts': 'a hot path, made from filters',
  'src/domain/media/library/videoRow.ts': 'a hot path',
  'src/domain/playback/mint.sql.ts': 'a hot path',
  'src/domain/playback/playableVideos.ts': 'a hot path',
};

const READ = /(?<!delete )\b(?:from|join)\s+(?:only\s+)?(?:public\.)?(\w+)\b(?!\()/g;

/** Calls of an entity manager; the entity comes first. */
const ENTITY_WRITE =
  /\.(?:insert|insertMany|upsert|upsertMany|create|createQueryBuilder|nativeUpdate|nativeDelete)\(\s*(\w+)[,)]/g;
const ENTITY_READ = /\.(?:find|findOne|findOneOrFail|count)\(\s*(\w+),/g;

const WRITE =
  /\b(?:insert\s+into|update|delete\s+from|truncate(?:\s+table)?|merge\s+into)\s+(?:only\s+)?(?:public\.)?(\w+)/g;

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
    expect(entitiesIn(file, code, ENTITY_READ)).toEqual(['brand_logo']);
  });
});

describe('the ledger', () => {
  it('is booked by posting.ts alone', () => {
    const calls = sources().filter(({ code }) => /(?<!function public\.)\bledger_post(?:_many)?\(/.test(code));
    expect(calls.map(({ file }) => file)).toEqual(['src/domain/ledger/posting.ts']);
  });
});

describe('a statement', () => {
  it('names its parameters, except in the files listed here', () => {
    const numbered = sources().filter(
      ({ file, code }) => /^src\/(domain|adapters)\//.test(file) && /(?<![.\w'])\$\d/.test(code),
    );
    expect(numbered.map(({ file }) => file).toSorted()).toEqual(Object.keys(KNOWN_NUMBERS).toSorted());
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
