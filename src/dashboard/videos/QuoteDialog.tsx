import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Modal, NativeSelect, Skeleton, Stack } from '@mantine/core';
import { useEffect, useState } from 'react';
import {
  CreateQuoteDocument,
  PriceListDocument,
  ProcessVideoDocument,
  WalletDocument,
  type Quality,
  type VideoRowFragment,
} from '../generated/graphql.js';
import { showCredits } from '../lib/credits.js';
import { announce } from '../parts/Announcer.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { AddonChoice, type AddonWishes } from './AddonChoice.js';
import { LoudnessChoice } from './LoudnessChoice.js';
import { MissingCredits } from './MissingCredits.js';
import { QuoteTable } from './QuoteTable.js';
import { QUALITIES, showQuality } from './words.js';

interface Props {
  readonly video: VideoRowFragment;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The binding price of each quality, and the button that accepts it. */
export function QuoteDialog({ video, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Process “${video.title}”`} size="lg">
      {/* Inside, so that each opening asks for a fresh price. */}
      <Offer video={video} onClose={onClose} />
    </Modal>
  );
}

function Offer({ video, onClose }: Omit<Props, 'opened'>) {
  const best = video.sourceQuality ?? 'P2160';
  const offered = QUALITIES.slice(0, QUALITIES.indexOf(best) + 1);
  const [quality, setQuality] = useState<Quality>(
    video.quality && offered.includes(video.quality) ? video.quality : best,
  );
  const [addons, setAddons] = useState<AddonWishes>({
    branding: video.addons.branding,
    encryption: video.addons.encryption,
  });
  const { encryption } = addons;
  const [normalizeLoudness, setNormalizeLoudness] = useState(video.normalizeLoudness);
  const branding = addons.branding && quality !== 'AUDIO';
  const { data: list } = useQuery(PriceListDocument, { fetchPolicy: 'cache-first' });
  const [createQuote, { data, loading, error }] = useMutation(CreateQuoteDocument);
  const { data: money } = useQuery(WalletDocument, { fetchPolicy: 'cache-and-network' });
  const [processVideo] = useMutation(ProcessVideoDocument);

  function ask(wanted: Quality): void {
    // How it failed is shown from the mutation's own state.
    const variables = { videoId: video.id, quality: wanted, branding, encryption, normalizeLoudness };
    createQuote({ variables }).catch(() => undefined);
  }
  useEffect(() => {
    const variables = { videoId: video.id, quality, branding, encryption, normalizeLoudness };
    createQuote({ variables }).catch(() => undefined);
  }, [createQuote, video.id, quality, branding, encryption, normalizeLoudness]);

  const quote = data?.createQuote;
  const accept = useAction(async () => {
    if (!quote) return;
    await processVideo({ variables: { quoteId: quote.id } });
    announce('Processing has begun.');
    onClose();
  });
  const current = quote && !loading ? quote : undefined;

  return (
    <Stack>
      <NativeSelect
        label="Quality"
        description={`Your file is worth ${showQuality(best)}; every lower quality comes with the one you choose.`}
        value={quality}
        data={offered.toReversed().map((value) => ({ value, label: showQuality(value) }))}
        onChange={(event) => setQuality(event.currentTarget.value as Quality)}
      />
      {list ? (
        <AddonChoice
          addons={list.priceList.addons}
          wishes={addons}
          hasPicture={quality !== 'AUDIO'}
          onChange={(change) => setAddons((before) => ({ ...before, ...change }))}
        />
      ) : null}
      <LoudnessChoice checked={normalizeLoudness} onChange={setNormalizeLoudness} />
      {current ? <QuoteTable quote={current} /> : <Skeleton height={132} />}
      {current && money ? <MissingCredits quote={current} wallet={money.wallet} onMoved={() => ask(quality)} /> : null}
      <FormError error={error ?? accept.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Not now
        </Button>
        {error ? (
          <Button onClick={() => ask(quality)}>Ask again</Button>
        ) : (
          <Button
            disabled={!current || loading || current.missing !== '0'}
            loading={accept.busy}
            onClick={() => void accept.run()}
          >
            {current ? `Process for ${showCredits(current.total)} credits` : 'Process'}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
