import { showNumber } from '../../lib/format.js';
import { useQuery } from '@apollo/client/react';
import { Skeleton } from '@mantine/core';
import { PriceListDocument, type PriceListQuery } from '../../generated/graphql.js';
import { showCredits } from '../../lib/credits.js';
import { ErrorState } from '../../parts/States.js';
import { showQuality } from '../../videos/words.js';
import { Part, Section, Table } from '../parts/Text.js';

const ADDON = { BRANDING: 'Your logo in the picture', ENCRYPTION: 'Encryption' } as const;

export function Money() {
  const { data, error, refetch } = useQuery(PriceListDocument);
  return (
    <Section id="money" title="Money">
      <p>
        Everything is prepaid: what is not in your wallet cannot be charged. One credit is one Indian rupee, counted to
        the millionth part. The wallet has four buckets, and you decide what is in which:
      </p>
      <Table
        label="Buckets of the wallet"
        head={['Bucket', 'Pays for']}
        rows={[
          ['Master', 'Nothing by itself: top-ups arrive here until you move them'],
          ['Creative', 'Processing and add-ons'],
          ['Cloud', 'Storage, every night'],
          ['AI', 'Language models, later'],
        ]}
      />
      <Part id="money-prices" title="Prices" />
      {data ? <Prices of={data.priceList} /> : null}
      {!data && error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <Skeleton height={320} role="status" aria-busy="true" /> : null}
      <Part id="money-escrow" title="When a video is processed" />
      <p>
        A quote is the exact price and holds for a limited time. Accepting it sets the amount aside: it leaves Creative,
        and nobody has it yet. When the video is ready it is paid; what was not delivered is given back, all of it where
        processing failed or you deleted the video. Where only the smaller pictures could be made, you pay the price of
        the best of them, and the video’s page says why. The statement shows each of these steps.
      </p>
      <Part id="money-storage" title="Storage" />
      <p>
        Each night the bytes you store are charged for one day, as the month’s price divided by its days, without
        rounding. Cloud pays; where it is too small, Master does if you have allowed that in the wallet. What is left is
        debt, and you get a mail long before.
      </p>
      <Part id="money-refunds" title="Refunds, disputes and debt" />
      <p>
        You can ask a top-up back as far as it is not refunded yet and Master still holds it. It is held at once and
        booked when the provider confirms. Money that is taken back without you asking, such as a dispute at your bank,
        comes out of all buckets, and the rest becomes debt. While there is debt no new job starts; the next credits
        that come in pay it first. What is set aside for running jobs is never touched.
      </p>
      <Part id="money-referrals" title="Referrals" />
      <p>
        Your code is under Referrals. When somebody signs up with it and tops up for the first time, both of you get
        bonus credits; what they are stands beside your code. If that first top-up is refunded within two days, in full
        or in part, both bonuses are taken back.
      </p>
    </Section>
  );
}

function Prices({ of: list }: { of: PriceListQuery['priceList'] }) {
  return (
    <>
      <Table
        label="Prices"
        head={['What', 'Credits', 'Per']}
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
            `Playback, ${showNumber(list.freePlaybackTokensPerDay)} tokens a day and key`,
            'free',
            'UTC day; support can raise it',
          ],
        ]}
      />
      <p>
        The quality you buy is the best one; every lower one comes with it, and so do 360p and 432p for slow
        connections. A minute is counted to the millisecond, and you never pay for more than the file holds. All sound
        tracks come with it, and so does even loudness (−16 LUFS) if you ask for it.
      </p>
      <p>
        Your logo is set in the settings, under Branding. A video shows the one that was set when you bought its
        processing, whatever you change afterwards; its poster shows none. Sound alone has no picture for a logo, so it
        is not sold with it. The logo itself costs no storage.
      </p>
    </>
  );
}
