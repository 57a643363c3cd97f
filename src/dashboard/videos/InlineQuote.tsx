import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Skeleton, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { ProcessVideoDocument, WalletDocument, type VideoRowFragment } from '../generated/graphql.js';
import { microsOf, showCredits, toCredits } from '../lib/credits.js';
import { showMoment } from '../lib/format.js';
import { announce } from '../parts/Announcer.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { MissingCredits } from './MissingCredits.js';
import { useQuotes } from './useQuotes.js';
import { showQuality } from './words.js';

const QuoteDialog = lazy(() => import('./QuoteDialog.js').then((module) => ({ default: module.QuoteDialog })));

/** The binding price of one measured video at the quality that was wished for, and the button that accepts it. */
export function InlineQuote({ video }: { video: VideoRowFragment }) {
  const [asksForOther, setAsksForOther] = useState(false);
  const { data: money } = useQuery(WalletDocument);
  const [processVideo] = useMutation(ProcessVideoDocument);
  const { priced } = useQuotes([video], video.quality ?? video.sourceQuality ?? 'P1080');
  const { quote, error } = priced[0] ?? {};
  const accept = useAction(async () => {
    if (!quote) return;
    await processVideo({ variables: { quoteId: quote.id } });
    announce('Processing has begun.');
  });

  // As the wallet stands now: credits may have been moved since the price was asked for.
  const lacking = quote && money ? microsOf(quote.total) - microsOf(money.wallet.creative) : 0n;

  if (error) return <FormError error={error} />;
  if (!quote) return <Skeleton height={30} role="status" aria-busy="true" aria-label="Asking for the price" />;
  return (
    <>
      <Group gap="sm" className="num">
        <Text size="sm" title={`This price holds until ${showMoment(quote.expiresAt)}`}>
          {showQuality(quote.quality)}: <b>{showCredits(quote.total)} credits</b>
        </Text>
        <Button size="xs" disabled={lacking > 0n} loading={accept.busy} onClick={() => void accept.run()}>
          Process
        </Button>
        <Button size="xs" variant="subtle" onClick={() => setAsksForOther(true)}>
          Another quality
        </Button>
      </Group>
      {lacking > 0n && money ? (
        <MissingCredits quote={{ total: quote.total, missing: toCredits(lacking) }} wallet={money.wallet} />
      ) : null}
      <FormError error={accept.error} />
      {asksForOther ? (
        <Suspense fallback={null}>
          <QuoteDialog video={video} opened onClose={() => setAsksForOther(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
