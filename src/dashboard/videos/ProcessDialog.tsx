import { words } from '#words/videos.js';
import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useState } from 'react';
import {
  PriceListDocument,
  ProcessVideoDocument,
  WalletDocument,
  type VideoRowFragment,
} from '../generated/graphql.js';
import { microsOf, showCredits } from '../lib/credits.js';
import { FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import { chooseForAll, choiceOf } from './batch.js';
import { batchOf } from './choice.js';
import { ChoiceFields } from './ChoiceFields.js';
import { fundingOf } from './funding.js';
import { MissingCredits } from './MissingCredits.js';
import { ProcessTable } from './ProcessTable.js';
import { useQuotes } from './useQuotes.js';
import { QUALITIES } from './words.js';

interface Props {
  readonly videos: readonly VideoRowFragment[];
  readonly onClose: () => void;
}

/** The binding prices of several videos, the total, and one button that accepts them all. */
export default function ProcessDialog({ videos: given, onClose }: Props) {
  const client = useApolloClient();
  // Fixed when the dialog opens: accepted videos leave the selection one by one.
  const [videos] = useState(given);
  const [batch, setBatch] = useState(() => batchOf(videos));
  const { priced, total, isComplete, askAgain } = useQuotes(
    videos.map((video) => ({ video, choice: choiceOf(batch, video.id) })),
  );
  const { data: list } = useQuery(PriceListDocument, { fetchPolicy: 'cache-first' });
  const { data: money } = useQuery(WalletDocument);
  const [processVideo] = useMutation(ProcessVideoDocument);
  const quotes = priced.flatMap(({ quote }) => (quote ? [quote] : []));
  const { missing } = money ? fundingOf(microsOf(total), money.wallet) : { missing: 0n };

  const accept = useAction(async () => {
    for (const quote of quotes) await processVideo({ variables: { quoteId: quote.id } });
    await client.refetchQueries({ include: ['Videos'] });
    showToast({
      kind: 'good',
      title: words.processDialog.processingVideos(quotes.length),
    });
    onClose();
  });

  return (
    <Modal opened onClose={onClose} title={words.processDialog.processVideos(videos.length)} size="lg">
      <Stack>
        <ChoiceFields
          label={videos.length > 1 ? words.processDialog.qualityAll : words.processDialog.quality}
          description={words.processDialog.upWhatEachFile}
          choice={batch.shared}
          offered={QUALITIES}
          prices={list?.priceList}
          onChange={(change) => setBatch((before) => chooseForAll(before, change))}
        />
        <ProcessTable
          priced={priced}
          total={isComplete ? total : undefined}
          batch={batch}
          prices={list?.priceList}
          onChange={setBatch}
        />
        {isComplete && money ? <MissingCredits total={total} wallet={money.wallet} /> : null}
        <FormError error={accept.error} />
        {accept.error || priced.some(({ error }) => error) ? (
          <Group>
            <Button variant="default" size="xs" onClick={askAgain}>
              {words.processDialog.getNewPrices}
            </Button>
          </Group>
        ) : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.processDialog.cancel}
          </Button>
          <Button
            disabled={!isComplete || quotes.length === 0 || missing > 0n}
            loading={accept.busy}
            onClick={() => void accept.run()}
          >
            {isComplete ? words.processDialog.processCredits(showCredits(total)) : words.processDialog.process}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
