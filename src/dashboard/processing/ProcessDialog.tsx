import { words as cancelWords } from '#words/cancelling.js';
import { words } from '#words/videos.js';
import type { ApolloClient } from '@apollo/client';
import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { wordsOf } from '../session/failures.js';
import {
  PriceListDocument,
  ProcessVideoDocument,
  WalletDocument,
  type VideoRowFragment,
} from '../generated/graphql.js';
import { microsOf, showCredits } from '../lib/credits.js';
import { FormError } from '../parts/States.js';
import { showToast, UNDO_MS, type Toast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import { chooseForAll, choiceOf } from './batch.js';
import { BatchCancel, BatchProgress } from '../parts/BatchProgress.js';
import { cancelProcessing } from './cancelProcessing.js';
import { batchOf } from './choice.js';
import { ChoiceFields } from './ChoiceFields.js';
import { fundingOf } from './funding.js';
import { sayMissing, withIds } from '../parts/inBatches.js';
import { MissingCredits } from './MissingCredits.js';
import { ProcessTable } from './ProcessTable.js';
import { useBatch } from '../parts/useBatch.js';
import { useQuotes } from './useQuotes.js';
import { QUALITIES } from '../lib/videoStates.js';

/** Failures that the other videos would have, too. */
const ENDS_ALL: ReadonlySet<string> = new Set([
  'NETWORK',
  'INSUFFICIENT_CREDITS',
  'DEBT_OUTSTANDING',
  'ACCOUNT_SUSPENDED',
  'RATE_LIMIT_EXCEEDED',
  'SERVICE_UNAVAILABLE',
  'UNAUTHENTICATED',
]);
/** With more videos, it is said how many prices are known. */
const MANY = 10;

/** The button of a toast that takes back what was just started. */
function undoOf(client: ApolloClient, started: readonly VideoRowFragment[]): Partial<Toast> {
  if (started.length === 0) return {};
  const undo = (): void => void cancelProcessing(client, started);
  return { durationMs: UNDO_MS, action: { label: cancelWords.undo, run: undo } };
}

interface Props {
  readonly videos: readonly VideoRowFragment[];
  readonly onClose: () => void;
}

/** The binding prices of several videos, the total, and one button that accepts them all. */
export default function ProcessDialog({ videos: given, onClose }: Props) {
  const client = useApolloClient();
  // Fixed when the dialog opens: accepted videos leave the selection one by one.
  const [videos, setVideos] = useState(given);
  const [batch, setBatch] = useState(() => batchOf(videos));
  // The same objects as long as nothing was chosen, so that a price renders its own row alone.
  const wanted = useMemo(() => videos.map((video) => ({ video, choice: choiceOf(batch, video.id) })), [videos, batch]);
  const { priced, total, isComplete, askAgain } = useQuotes(wanted);
  const { data: list } = useQuery(PriceListDocument, { fetchPolicy: 'cache-first' });
  const { data: money } = useQuery(WalletDocument);
  const [processVideo] = useMutation(ProcessVideoDocument);
  const quotes = priced.flatMap(({ quote }) => (quote ? [quote] : []));
  const { missing } = money ? fundingOf(microsOf(total), money.wallet) : { missing: 0n };

  const starting = useBatch();

  const accept = useAction(async () => {
    const failures = new Map<string, Error>();
    const quoteOf = new Map(priced.flatMap(({ video, quote }) => (quote ? [[video.id, quote.id]] : [])));
    const outcome = await starting.run(
      [...quoteOf.keys()],
      async ([id = '']) => {
        try {
          await processVideo({ variables: { quoteId: quoteOf.get(id) ?? '' } });
          return [id];
        } catch (failure) {
          if (!(failure instanceof Error) || ENDS_ALL.has(wordsOf(failure).code)) throw failure;
          failures.set(id, failure);
          return [];
        }
      },
      1,
    );
    await client.refetchQueries({ include: ['Videos'] });
    const { done, refused, unknown, left } = outcome;
    const undo = undoOf(client, withIds(videos, done));
    if (refused.length + unknown.length + left.length === 0) {
      const message = words.processDialog.undoNote;
      showToast({ kind: 'good', title: words.processDialog.processingVideos(done.length), message, ...undo });
      return onClose();
    }
    // What has started is not offered again.
    setVideos((before) => before.filter(({ id }) => !done.includes(id)));
    const error = outcome.error ?? failures.values().next().value;
    showToast({
      kind: error === undefined ? 'plain' : 'bad',
      title: words.processDialog.startedSome(done.length, quoteOf.size),
      message: [
        sayMissing(videos, { ...outcome, error }, words.processDialog.notStarted),
        ...(done.length > 0 ? [words.processDialog.undoNote] : []),
      ].join(' '),
      ...undo,
    });
    if (error !== undefined) throw error;
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
        {!isComplete && priced.length > MANY ? (
          <Text size="sm" role="status" className="num">
            {words.processDialog.pricing(priced.filter(({ quote, error }) => quote ?? error).length, priced.length)}
          </Text>
        ) : null}
        <BatchProgress run={starting} text={words.processDialog.starting} />
        <FormError error={accept.error} />
        {accept.error || priced.some(({ error }) => error) ? (
          <Group>
            <Button variant="default" size="xs" onClick={askAgain}>
              {words.processDialog.getNewPrices}
            </Button>
          </Group>
        ) : null}
        <Group justify="flex-end">
          <BatchCancel run={starting} onClose={onClose} />
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
