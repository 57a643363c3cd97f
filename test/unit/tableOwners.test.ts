import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { describe, expect, it } from 'vitest';

import { entities } from '../../src/db/entities.js';

/**
 * Statements that write a table of another folder, `file: table`, and why. A statement that writes several tables at
 * once lies with the one that decides whether anything is written.
 */
const KNOWN: Readonly<Record<string, string>> = {
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

const WRITE =
  /\b(?:insert\s+into|update|delete\s+from|truncate(?:\s+table)?|merge\s+into)\s+(?:only\s+)?(?:public\.)?(\w+)/g;

describe('a table', () => {
  const owners = ownersOfTables();

  it('has one owner: the folder of its entity', () => {
    expect(Object.keys(owners).toSorted()).toEqual(entities.map(({ meta }) => meta.tableName).toSorted());
  });

  it('is written by its owner, and by nobody else but those listed here', () => {
    const files = globSync('src/**/*.ts', { exclude: (path) => /(^|\/)(migrations|dashboard|player)$/.test(path) });
    const writes = files.flatMap((file) =>
      tablesWrittenBy(readFileSync(file, 'utf8'))
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

  it.each([
    ['insert into video (id) values ($1)', ['video']],
    ['with gone as (delete from caption c using video v)', ['caption']],
    ['update\n  stored_object o set removed_at = null', ['stored_object']],
    ['select 1 from video for no key update', []],
    ['insert into a on conflict (id) do update set x = 1', ['a']],
  ])('is found in %j', (text, tables) => {
    expect(tablesWrittenBy(text)).toEqual(tables);
  });
});

function tablesWrittenBy(text: string): string[] {
  return [...text.matchAll(WRITE)].map(([, table]) => table!).filter((table) => table !== 'set');
}

function ownersOfTables(): Readonly<Record<string, string>> {
  const files = globSync('src/**/*.entity.ts');
  return Object.fromEntries(
    files.map((file) => [/tableName: '(\w+)'/.exec(readFileSync(file, 'utf8'))![1]!, dirname(file)]),
  );
}
