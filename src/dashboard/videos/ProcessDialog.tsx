import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Modal, NativeSelect, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { wordsOf } from '../app/words.js';
import { ProcessVideoDocument, WalletDocument, type Quality, type VideoRowFragment } from '../generated/graphql.js';
import { microsOf, showCredits, toCredits } from '../lib/credits.js';
import { showDuration } from '../lib/format.js';
import { FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import { MissingCredits } from './MissingCredits.js';
import { useQuotes, type Priced } from './useQuotes.js';
import { QUALITIES, showQuality } from './words.js';

interface Props {
  readonly videos: readonly VideoRowFragment[];
  readonly onClose: () => void;
}

/** The binding prices of several videos, their sum, and one button that accepts them all. */
export default function ProcessDialog({ videos: given, onClose }: Props) {
  const client = useApolloClient();
  // As they were when it was opened: those that are accepted leave the selection one by one.
  const [videos] = useState(given);
  const [quality, setQuality] = useState<Quality>('P1080');
  const { priced, total, isComplete } = useQuotes(videos, quality);
  const { data: money } = useQuery(WalletDocument);
  const [processVideo] = useMutation(ProcessVideoDocument);
  const quotes = priced.flatMap(({ quote }) => (quote ? [quote] : []));
  const lacking = money ? microsOf(total) - microsOf(money.wallet.creative) : 0n;

  const accept = useAction(async () => {
    for (const quote of quotes) await processVideo({ variables: { quoteId: quote.id } });
    await client.refetchQueries({ include: ['Videos'] });
    showToast({
      kind: 'good',
      title: quotes.length === 1 ? '1 video is on its way' : `${quotes.length} videos are on their way`,
    });
    onClose();
  });

  return (
    <Modal
      opened
      onClose={onClose}
      title={videos.length === 1 ? 'Process 1 video' : `Process ${videos.length} videos`}
      size="lg"
    >
      <Stack>
        <NativeSelect
          label="Quality"
          description="At most what each file is worth; every lower quality comes with it."
          value={quality}
          data={QUALITIES.toReversed().map((value) => ({ value, label: showQuality(value) }))}
          onChange={(event) => setQuality(event.currentTarget.value as Quality)}
        />
        <Prices priced={priced} total={total} isComplete={isComplete} />
        {isComplete && money ? (
          <MissingCredits quote={{ total, missing: lacking > 0n ? toCredits(lacking) : '0' }} wallet={money.wallet} />
        ) : null}
        <FormError error={accept.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Not now
          </Button>
          <Button
            disabled={!isComplete || quotes.length === 0 || lacking > 0n}
            loading={accept.busy}
            onClick={() => void accept.run()}
          >
            {isComplete ? `Process for ${showCredits(total)} credits` : 'Process'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Prices({ priced, total, isComplete }: { priced: readonly Priced[]; total: string; isComplete: boolean }) {
  return (
    <Table className="num" aria-label="Prices">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Video</Table.Th>
          <Table.Th ta="end">Length</Table.Th>
          <Table.Th ta="end">Credits</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {priced.map(({ video, quote, error }) => (
          <Table.Tr key={video.id}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              {video.title}
              <Text size="xs" c="dimmed">
                {error ? wordsOf(error).title : quote ? showQuality(quote.quality) : 'asking for the price'}
              </Text>
            </Table.Td>
            <Table.Td ta="end">{video.durationSeconds === null ? '–' : showDuration(video.durationSeconds)}</Table.Td>
            <Table.Td ta="end">
              {quote ? showCredits(quote.total) : error ? 'left out' : <Skeleton height={12} width={48} ml="auto" />}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
      <Table.Tfoot>
        <Table.Tr>
          <Table.Th colSpan={2}>Total</Table.Th>
          <Table.Th ta="end">{isComplete ? showCredits(total) : '…'}</Table.Th>
        </Table.Tr>
      </Table.Tfoot>
    </Table>
  );
}
