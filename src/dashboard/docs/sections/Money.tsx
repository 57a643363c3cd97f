import { showNumber } from '../../lib/format.js';
import { useQuery } from '@apollo/client/react';
import { Skeleton } from '@mantine/core';
import { PriceListDocument, type PriceListQuery } from '../../generated/graphql.js';
import { showCredits } from '../../lib/credits.js';
import { ErrorState } from '../../parts/States.js';
import { showQuality } from '../../lib/videoStates.js';
import { Part, Section, Table } from '../parts/Text.js';

const ADDON = { BRANDING: 'Branding (your logo in the picture)', ENCRYPTION: 'Encryption' } as const;

export function Money() {
  const { data, error, refetch } = useQuery(PriceListDocument);
  return (
    <Section id="money" title="Money">
      <p>
        Everything is prepaid: you can’t be charged more than your balance. One credit is one Indian rupee, counted to a
        millionth. The wallet has four buckets, and you decide how much each holds:
      </p>
      <Table
        label="Buckets of the wallet"
        head={['Bucket', 'Pays for']}
        rows={[
          ['Master', 'Nothing. Top-ups arrive here until you move them.'],
          ['Creative', 'Processing and add-ons'],
          ['Cloud', 'Storage, every night'],
          ['AI', 'AI features (coming later)'],
        ]}
      />
      <Part id="money-prices" title="Prices" />
      {data ? <Prices of={data.priceList} /> : null}
      {!data && error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <Skeleton height={320} role="status" aria-busy="true" /> : null}
      <Part id="money-escrow" title="When a video is processed" />
      <p>
        A quote is the exact price, valid for a limited time. If you accept it, the amount is set aside from Creative.
        If Creative is too small, Master adds what is missing, unless you switch that off in the wallet. When the video
        is ready, it is charged. You get all of it back if processing fails or you delete the video. If only lower
        qualities could be encoded, you pay the price of the best one, and the video’s page says why. The statement
        shows each step.
      </p>
      <Part id="money-storage" title="Storage" />
      <p>
        Every night, stored bytes are charged for one day: the monthly price divided by the days of the month, without
        rounding. Cloud pays. When Cloud runs out, Master pays, unless you switch that off in the wallet. The rest
        becomes debt. We email you well before that.
      </p>
      <Part id="money-refunds" title="Refunds, disputes and debt" />
      <p>
        You can request a refund of a top-up, up to what Master still holds. The amount is held immediately and booked
        after provider confirmation. Money that is taken back otherwise, such as by a dispute at your bank, is taken
        from all buckets, and the rest becomes debt. With debt, no new jobs start, and new credits pay the debt first.
        Credits set aside for running jobs are never touched.
      </p>
      <Part id="money-referrals" title="Referrals" />
      <p>
        Find your code under Referrals. When somebody signs up with it and makes a first top-up, you both get the bonus
        credits shown beside your code. If that top-up is refunded within two days, even in part, both bonuses are taken
        back.
      </p>
    </Section>
  );
}

function Prices({ of: list }: { of: PriceListQuery['priceList'] }) {
  return (
    <>
      <Table
        label="Prices"
        head={['Item', 'Credits', 'Per']}
        numbers={[1]}
        rows={[
          ...list.processing.map(({ quality, creditsPerMinute }) => [
            quality === 'AUDIO' ? 'Processing, audio only' : `Processing, up to ${showQuality(quality)}`,
            showCredits(creditsPerMinute),
            'minute',
          ]),
          ...list.addons.map(({ addon, creditsPerMinute }) => [ADDON[addon], showCredits(creditsPerMinute), 'minute']),
          ['Storage', showCredits(list.storageCreditsPerGbMonth), 'GB and month'],
          [
            `Playback, ${showNumber(list.freePlaybackTokensPerDay)} tokens per day and key`,
            'free',
            'UTC day; support can raise it',
          ],
        ]}
      />
      <p>
        The price includes the quality you choose, every lower one, 360p and 432p for slow connections, all audio
        tracks, and loudness normalization (−16 LUFS) if you turn it on. Length is billed to the millisecond, and you
        never pay for more quality than the file has.
      </p>
      <p>
        Set your logo in Settings, under Branding. A video keeps the logo that was set when you approved its processing.
        Posters show no logo, and audio-only processing can’t use branding. The logo itself costs no storage.
      </p>
    </>
  );
}
