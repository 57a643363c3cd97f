import type { PrintedDocument, PrintedRow } from '../../../ports/documents.js';
import { formatCredits } from '../../ledger/credits.js';
import { longMonth } from './months.js';
import type { Seller } from './seller.js';
import type { MonthlyStatement } from './statement.service.js';
import { accountInWords, entryInWords, typeInWords } from './words.js';

/** Lays out the statement for printing. Its entries are read while it is written. */
export function statementDocument(statement: MonthlyStatement, seller: Seller, signal: AbortSignal): PrintedDocument {
  const { holder, month, isToDate, asOf, accounts, totals, entryCount } = statement;
  const period = `${day(month.from)} to ${isToDate ? moment(asOf) : day(new Date(month.to.getTime() - 1))} (UTC)`;
  return {
    title: `Statement ${longMonth(month)}`,
    subtitle: isToDate ? 'To date: the month is not over yet' : '',
    author: seller.name,
    // The document of a past month is the same whenever it is made.
    date: isToDate ? asOf : month.to,
    facts: [
      { label: 'Period', value: period },
      { label: 'Entries', value: String(entryCount) },
      { label: 'Unit', value: 'Credits; 1 credit is ₹1' },
    ],
    parties: [
      { label: 'Account', lines: [holder.name, holder.email].filter((line) => line !== '') },
      { label: 'Issued by', lines: [seller.name, ...seller.addressLines] },
    ],
    sections: [
      {
        kind: 'table',
        title: 'Balances',
        columns: [
          { heading: 'Account', weight: 3, align: 'left' },
          { heading: 'Opening', weight: 2, align: 'right' },
          { heading: 'Change', weight: 2, align: 'right' },
          { heading: 'Closing', weight: 2, align: 'right' },
        ],
        rows: [
          accounts.map(({ account, openingMicros, closingMicros }) => [
            accountInWords(account),
            formatCredits(openingMicros),
            signed(closingMicros - openingMicros),
            formatCredits(closingMicros),
          ]),
        ],
        emptyText: '',
      },
      {
        kind: 'table',
        title: 'Totals',
        columns: [
          { heading: 'Type', weight: 3, align: 'left' },
          { heading: 'Entries', weight: 2, align: 'right' },
          { heading: 'Change of the whole wallet', weight: 4, align: 'right' },
        ],
        rows: [
          totals.map(({ type, entries, amountMicros }) => [typeInWords(type), `${entries}`, signed(amountMicros)]),
        ],
        emptyText: 'Nothing happened in this month.',
      },
      {
        kind: 'table',
        title: 'Entries',
        columns: [
          { heading: 'Time (UTC)', weight: 17, align: 'left' },
          { heading: 'Account', weight: 12, align: 'left' },
          { heading: 'What', weight: 37, align: 'left' },
          { heading: 'Amount', weight: 17, align: 'right' },
          { heading: 'Balance', weight: 17, align: 'right' },
        ],
        rows: entryRows(statement, signal),
        emptyText: 'No entries.',
      },
    ],
    footer: `${seller.name} · Statement ${month.name}`,
  };
}

async function* entryRows(statement: MonthlyStatement, signal: AbortSignal): AsyncGenerator<PrintedRow[]> {
  for await (const batch of statement.entries(signal)) {
    yield batch.map((entry) => [
      moment(entry.createdAt),
      accountInWords(entry.account),
      entryInWords(entry),
      signed(entry.deltaMicros),
      formatCredits(entry.balanceMicros),
    ]);
  }
}

function signed(amountMicros: bigint): string {
  return `${amountMicros > 0n ? '+' : ''}${formatCredits(amountMicros)}`;
}

function day(time: Date): string {
  return time.toISOString().slice(0, 10);
}

function moment(time: Date): string {
  return time.toISOString().slice(0, 19).replace('T', ' ');
}
