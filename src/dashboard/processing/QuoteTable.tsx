import { words } from '#words/videos.js';
import { Table } from '@mantine/core';
import type { CreateQuoteMutation, QuoteItem } from '../generated/graphql.js';
import { showCredits } from '../lib/credits.js';
import { showDuration, showMoment } from '../lib/format.js';
import { showQuality } from '../lib/videoStates.js';

export type Quote = CreateQuoteMutation['createQuote'];

const ITEM: Record<QuoteItem, string> = {
  PROCESSING: words.quoteTable.processing,
  BRANDING: words.quoteTable.branding,
  ENCRYPTION: 'AES-128 encryption',
};

/** The price, line by line. */
export function QuoteTable({ quote }: { quote: Quote }) {
  return (
    <Table className="num" captionSide="bottom">
      <Table.Caption ta="start">
        {words.quoteTable.longPriceValidUntil(showDuration(quote.durationSeconds), showMoment(quote.expiresAt))}
      </Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{words.quoteTable.forIt}</Table.Th>
          <Table.Th ta="end">{words.quoteTable.perMinute}</Table.Th>
          <Table.Th ta="end">{words.quoteTable.credits}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {quote.lines.map((line) => (
          <Table.Tr key={line.item}>
            <Table.Td>
              {ITEM[line.item]}
              {line.item === 'PROCESSING' ? `, ${showQuality(line.quality)}` : ''}
            </Table.Td>
            <Table.Td ta="end">{showCredits(line.ratePerMinute)}</Table.Td>
            <Table.Td ta="end">{showCredits(line.amount)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
      <Table.Tfoot>
        <Table.Tr>
          <Table.Th colSpan={2}>{words.quoteTable.total}</Table.Th>
          <Table.Th ta="end">{showCredits(quote.total)}</Table.Th>
        </Table.Tr>
      </Table.Tfoot>
    </Table>
  );
}
