import { words } from '#words/videos.js';
import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { Suspense, useEffect, useRef, useState } from 'react';
import { ProcessVideoDocument, WalletDocument, type WalletBalancesFragment } from '../generated/graphql.js';
import { microsOf, showCredits } from '../lib/credits.js';
import { showMoment } from '../lib/format.js';
import { lazy } from '../lib/lazy.js';
import { announce } from '../parts/Announcer.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { showChoice, within } from './choice.js';
import { availableFor, fundingOf } from './funding.js';
import { MissingCredits } from './MissingCredits.js';
import type { Priced } from './useQuotes.js';

const QuoteDialog = lazy(() => import('./QuoteDialog.js').then((module) => ({ default: module.QuoteDialog })));

interface Props {
  readonly priced: Priced;
  readonly onAskAgain: () => void;
}

/** The binding price of a measured video with its chosen options, and the button that accepts it. */
export function InlineQuote({ priced, onAskAgain }: Props) {
  const { video, choice, quote } = priced;
  const [asksForOther, setAsksForOther] = useState(false);
  const { data: money } = useQuery(WalletDocument);
  const [processVideo] = useMutation(ProcessVideoDocument);
  const accept = useAction(async () => {
    if (!quote) return;
    await processVideo({ variables: { quoteId: quote.id } });
    announce(words.inlineQuote.processingStarted);
  });
  const error = priced.error ?? accept.error;
  useClearedByCredits(money?.wallet, accept.clear);

  // Compare with the current wallet: credits may have moved since the price was requested.
  const { missing } = quote && money ? fundingOf(microsOf(quote.total), money.wallet) : { missing: 0n };

  if (!quote && !error) {
    return <Skeleton height={30} role="status" aria-busy="true" aria-label={words.inlineQuote.gettingPrice} />;
  }
  return (
    <>
      {quote ? (
        <Group gap="sm" className="num">
          <Text size="sm" title={words.inlineQuote.priceValidUntil(showMoment(quote.expiresAt))}>
            {showChoice({ ...within(video, choice), quality: quote.quality })}:{' '}
            <b>{words.inlineQuote.credits(showCredits(quote.total))}</b>
          </Text>
          <Button size="xs" disabled={missing > 0n} loading={accept.busy} onClick={() => void accept.run()}>
            {words.inlineQuote.process}
          </Button>
          <Button size="xs" variant="subtle" onClick={() => setAsksForOther(true)}>
            {words.inlineQuote.changeOptions}
          </Button>
        </Group>
      ) : null}
      {quote && missing > 0n && money ? <MissingCredits total={quote.total} wallet={money.wallet} /> : null}
      {error ? (
        <Stack gap="xs" align="flex-start">
          <FormError error={error} />
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              accept.clear();
              onAskAgain();
            }}
          >
            {words.inlineQuote.getNewPrice}
          </Button>
        </Stack>
      ) : null}
      {asksForOther ? (
        <Suspense fallback={null}>
          <QuoteDialog video={video} opened onClose={() => setAsksForOther(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

/** A refusal may be over once there are more credits, or less debt. */
function useClearedByCredits(wallet: WalletBalancesFragment | undefined, clear: () => void): void {
  const available = wallet && availableFor(wallet) + microsOf(wallet.debt);
  const before = useRef(available);
  useEffect(() => {
    const hasMore = available !== undefined && before.current !== undefined && available > before.current;
    before.current = available;
    if (hasMore) clear();
  }, [available, clear]);
}
