import { Table } from '@mantine/core';
import type { CreateQuoteMutation, QuoteItem } from '../generated/graphql.js';
import { showCredits } from '../lib/credits.js';
import { showDuration, showMoment } from '../lib/format.js';
import { showQuality } from './words.js';

export type Quote = CreateQuoteMutation['createQuote'];

const ITEM: Record<QuoteItem, string> = {
  PROCESSING: 'Processing',
  BRANDING: 'Branding',
  ENCRYPTION: 'AES-128 encryption',
};

/** What it costs, line by line. */
export function QuoteTable({ quote }: { quote: Quote }) {
  return (
    <Table className="num" captionSide="bottom">
      <Table.Caption ta="start">
        {showDuration(quote.durationSeconds)} long. This price holds until {showMoment(quote.expiresAt)}; unused credits
        are returned.
      </Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>For</Table.Th>
          <Table.Th ta="end">Per minute</Table.Th>
          <Table.Th ta="end">Credits</Table.Th>
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
          <Table.Th colSpan={2}>Total</Table.Th>
          <Table.Th ta="end">{showCredits(quote.total)}</Table.Th>
        </Table.Tr>
      </Table.Tfoot>
    </Table>
  );
}
