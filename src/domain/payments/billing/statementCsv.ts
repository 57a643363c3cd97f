import { formatCredits } from '../../ledger/credits.js';
import { BYTE_ORDER_MARK, csvRecord } from '../../shared/csv.js';
import { longMonth } from './months.js';
import type { MonthlyStatement } from './statement.service.js';
import { entryInWords } from './words.js';

const COLUMNS = ['record', 'time', 'account', 'type', 'description', 'amount', 'balance', 'reference', 'transaction'];

/**
 * Streams the statement as CSV. Every record has the same columns; the first one is its kind:
 *
 * - `statement`: whose it is and of which month. Its time is the end of the month, or for the current month the time of
 *   reading.
 * - `opening` and `closing`: the balance of one account of the wallet.
 * - `entry`: one change and the resulting balance; times in UTC, amounts in credits.
 * - `total`: what all entries of one type changed in the whole wallet.
 */
export async function* statementCsv(statement: MonthlyStatement, signal: AbortSignal): AsyncGenerator<string> {
  const { holder, month, isToDate, asOf, accounts, totals } = statement;
  const end = isToDate ? asOf : month.to;
  const about = `${longMonth(month)}${isToDate ? ', to date' : ''}: ${holder.name} <${holder.email}>`;
  yield (
    BYTE_ORDER_MARK +
      csvRecord(COLUMNS) +
      csvRecord(['statement', end.toISOString(), '', '', about, '', '', month.name, '']) +
      accounts
        .map(({ account, openingMicros }) =>
          csvRecord(['opening', month.from.toISOString(), account, '', '', '', formatCredits(openingMicros), '', '']),
        )
        .join('')
  );
  for await (const batch of statement.entries(signal)) {
    yield batch
      .map((entry) =>
        csvRecord([
          'entry',
          entry.createdAt.toISOString(),
          entry.account,
          entry.type,
          entryInWords(entry),
          formatCredits(entry.deltaMicros),
          formatCredits(entry.balanceMicros),
          entry.reference ?? '',
          entry.txId,
        ]),
      )
      .join('');
  }
  yield (
    accounts
      .map(({ account, closingMicros }) =>
        csvRecord(['closing', end.toISOString(), account, '', '', '', formatCredits(closingMicros), '', '']),
      )
      .join('') +
      totals
        .map(({ type, amountMicros, entries }) =>
          csvRecord(['total', '', '', type, `${entries} entries`, formatCredits(amountMicros), '', '', '']),
        )
        .join('')
  );
}
