import { words } from '#words/videos.js';
import { Skeleton, Table, Text } from '@mantine/core';
import { memo } from 'react';
import { wordsOf } from '../session/failures.js';
import { showCredits } from '../lib/credits.js';
import { showDuration } from '../lib/format.js';
import { chooseForOne, followShared, type Batch } from './batch.js';
import { offeredQualities, showChoice, within, type Choice, type PriceList } from './choice.js';
import { ChoiceFields } from './ChoiceFields.js';
import { OwnChoice } from './OwnChoice.js';
import classes from './ProcessTable.module.css';
import type { Priced } from './useQuotes.js';

type Choices = Batch<string, Choice>;

interface Props {
  readonly priced: readonly Priced[];
  /** Undefined while prices are being requested. */
  readonly total: string | undefined;
  readonly batch: Choices;
  readonly prices: PriceList | undefined;
  readonly onChange: (change: (before: Choices) => Choices) => void;
}

/** Each video's options and binding price, and the total. */
export function ProcessTable({ priced, total, batch, prices, onChange }: Props) {
  return (
    <Table className="num" aria-label={words.processTable.prices} verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{words.processTable.video}</Table.Th>
          <Table.Th ta="end">{words.processTable.length}</Table.Th>
          <Table.Th ta="end">{words.processTable.credits}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {priced.map((one) => (
          <ProcessRow
            key={one.video.id}
            {...one}
            isAlone={priced.length === 1}
            isOwn={batch.own.has(one.video.id)}
            prices={prices}
            onChange={onChange}
          />
        ))}
      </Table.Tbody>
      <Table.Tfoot>
        <Table.Tr>
          <Table.Th colSpan={2}>{words.processTable.total}</Table.Th>
          <Table.Th ta="end">{total === undefined ? '…' : showCredits(total)}</Table.Th>
        </Table.Tr>
      </Table.Tfoot>
    </Table>
  );
}

interface RowProps extends Priced, Pick<Props, 'prices' | 'onChange'> {
  readonly isAlone: boolean;
  readonly isOwn: boolean;
}

/** Rendered again only if something of this video changes: with hundreds of them, each price would render all rows. */
const ProcessRow = memo(function ProcessRow(props: RowProps) {
  const { video, quote, error, isAlone, isOwn, prices, onChange } = props;
  const choice = within(video, props.choice);
  return (
    <>
      <Table.Tr className={classes['first'] ?? ''}>
        <Table.Td style={{ overflowWrap: 'anywhere' }}>{video.title}</Table.Td>
        <Table.Td ta="end">{video.durationSeconds === null ? '–' : showDuration(video.durationSeconds)}</Table.Td>
        <Table.Td ta="end">
          {quote ? (
            showCredits(quote.total)
          ) : error ? (
            words.processTable.leftOut
          ) : (
            <Skeleton height={12} width={48} ml="auto" />
          )}
        </Table.Td>
      </Table.Tr>
      <Table.Tr>
        <Table.Td colSpan={3} className={classes['choice'] ?? ''}>
          {error ? <Text size="sm">{wordsOf(error).title}</Text> : null}
          {isAlone ? (
            showChoice(choice)
          ) : (
            <OwnChoice
              name={video.title}
              summary={showChoice(choice)}
              isOwn={isOwn}
              onFollow={() => onChange((before) => followShared(before, video.id))}
            >
              <ChoiceFields
                label={words.processTable.quality}
                description={words.processTable.upWhatFileSupports}
                choice={choice}
                offered={offeredQualities(video)}
                prices={prices}
                onChange={(change) => onChange((before) => chooseForOne(before, video.id, change))}
              />
            </OwnChoice>
          )}
        </Table.Td>
      </Table.Tr>
    </>
  );
});
