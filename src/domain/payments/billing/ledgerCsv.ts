import { formatCredits } from '../../ledger/credits.js';
import type { LedgerFilter } from '../../ledger/ledgerFilter.js';
import type { LedgerLine } from '../../ledger/ledgerLines.js';
import type { WalletService } from '../../ledger/wallet.service.js';
import { BYTE_ORDER_MARK, csvRecord } from '../../shared/csv.js';
import { titledLines } from './titledLines.js';
import { entryInWords } from './words.js';

const COLUMNS = ['time', 'account', 'type', 'description', 'amount', 'balance', 'reference', 'transaction'];
/** Entries per statement, so that neither side holds a long ledger in memory. */
const PAGE = 500;

/**
 * Streams the entries that match a filter as CSV, newest first: what the ledger's page shows with it, as of the first
 * record. Times are in UTC, amounts in credits.
 *
 * @throws VIDEO_NOT_FOUND, INVALID_INPUT for the filter, before the first record
 */
export async function ledgerCsv(
  wallet: Pick<WalletService, 'lines' | 'videoTitles'>,
  accountId: string,
  filter: LedgerFilter,
  signal: AbortSignal,
): Promise<AsyncGenerator<string>> {
  const first = await wallet.lines(accountId, { first: PAGE, after: null, filter });
  return records(wallet, { accountId, filter, first }, signal);
}

async function* records(
  wallet: Pick<WalletService, 'lines' | 'videoTitles'>,
  { accountId, filter, first }: { accountId: string; filter: LedgerFilter; first: readonly LedgerLine[] },
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvRecord(COLUMNS);
  for (let lines = first; lines.length > 0;) {
    yield (await titledLines(wallet, accountId, lines))
      .map((line) =>
        csvRecord([
          line.createdAt.toISOString(),
          line.account,
          line.type,
          entryInWords(line),
          formatCredits(line.deltaMicros),
          formatCredits(line.balanceAfterMicros),
          line.reference ?? '',
          line.txId,
        ]),
      )
      .join('');
    if (lines.length < PAGE) return;
    signal.throwIfAborted();
    lines = await wallet.lines(accountId, { first: PAGE, after: lines.at(-1)!.cursor, filter });
  }
}
