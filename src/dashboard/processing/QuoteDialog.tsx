import { words } from '#words/videos.js';
import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Modal, Skeleton, Stack } from '@mantine/core';
import { useCallback, useEffect, useState } from 'react';
import {
  CreateQuoteDocument,
  PriceListDocument,
  ProcessVideoDocument,
  WalletDocument,
  type VideoRowFragment,
} from '../generated/graphql.js';
import { microsOf, showCredits } from '../lib/credits.js';
import { announce } from '../parts/Announcer.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { feasible, offeredQualities, wishedFor, within } from './choice.js';
import { ChoiceFields } from './ChoiceFields.js';
import { fundingOf } from './funding.js';
import { MissingCredits } from './MissingCredits.js';
import { QuoteTable } from './QuoteTable.js';
import { showQuality } from '../lib/videoStates.js';

interface Props {
  readonly video: VideoRowFragment;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The binding price of each quality, and the button that accepts it. */
export function QuoteDialog({ video, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={words.quoteDialog.process(video.title)} size="lg">
      {/* Inside, so that each opening asks for a fresh price. */}
      <Offer video={video} onClose={onClose} />
    </Modal>
  );
}

function Offer({ video, onClose }: Omit<Props, 'opened'>) {
  const offered = offeredQualities(video);
  const [choice, setChoice] = useState(() => within(video, wishedFor(video)));
  const { data: list } = useQuery(PriceListDocument, { fetchPolicy: 'cache-first' });
  const [createQuote, { data, loading, error }] = useMutation(CreateQuoteDocument);
  const { data: money } = useQuery(WalletDocument, { fetchPolicy: 'cache-and-network' });
  const [processVideo] = useMutation(ProcessVideoDocument);

  const ask = useCallback(() => {
    // The mutation's own state shows the failure.
    createQuote({ variables: { videoId: video.id, ...feasible(choice) } }).catch(() => undefined);
  }, [createQuote, video.id, choice]);
  useEffect(ask, [ask]);

  const quote = data?.createQuote;
  const accept = useAction(async () => {
    if (!quote) return;
    await processVideo({ variables: { quoteId: quote.id } });
    announce(words.quoteDialog.processingStarted);
    onClose();
  });
  const current = quote && !loading ? quote : undefined;
  // By the current wallet: credits may have moved since the price was requested.
  const isFunded = current && money ? fundingOf(microsOf(current.total), money.wallet).missing === 0n : false;

  return (
    <Stack>
      <ChoiceFields
        label={words.quoteDialog.quality}
        description={words.quoteDialog.fileSupportsUpLower(showQuality(offered.at(-1)!))}
        choice={choice}
        offered={offered}
        prices={list?.priceList}
        onChange={(change) => setChoice((before) => ({ ...before, ...change }))}
      />
      {current ? <QuoteTable quote={current} /> : <Skeleton height={132} />}
      {current && money ? <MissingCredits total={current.total} wallet={money.wallet} /> : null}
      <FormError error={error ?? accept.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {words.quoteDialog.cancel}
        </Button>
        {error ? (
          <Button onClick={ask}>{words.quoteDialog.getNewPrice}</Button>
        ) : (
          <Button disabled={!isFunded} loading={accept.busy} onClick={() => void accept.run()}>
            {current ? words.quoteDialog.processCredits(showCredits(current.total)) : words.quoteDialog.confirmProcess}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
