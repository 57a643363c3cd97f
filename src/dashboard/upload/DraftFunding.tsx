import { words } from '#words/upload.js';
import { useQuery } from '@apollo/client/react';
import { Text } from '@mantine/core';
import { WalletDocument } from '../generated/graphql.js';
import { microsOf, showCredits, toCredits } from '../lib/credits.js';
import { ratePerMinute, type Choice, type PriceList } from '../videos/choice.js';
import { availableFor, drawsFromMaster } from '../videos/funding.js';

/** How much video the wallet pays for, before the first byte is sent. The length is known only after the upload. */
export function DraftFunding({ choice, prices }: { choice: Choice; prices: PriceList | undefined }) {
  const { data } = useQuery(WalletDocument);
  if (!prices || !data) return null;
  const { wallet } = data;
  const owed = -microsOf(wallet.debt);
  if (owed > 0n) {
    return (
      <Text size="sm" className="num">
        {words.draftFunding.debt(showCredits(toCredits(owed)))}
      </Text>
    );
  }
  const rate = ratePerMinute(choice, prices);
  const minutes = microsOf(rate) === 0n ? 0n : availableFor(wallet) / microsOf(rate);
  const isMasterUsed = drawsFromMaster(wallet);
  return (
    <Text size="sm" c={minutes > 0n ? 'dimmed' : undefined} className="num">
      {minutes > 0n
        ? words.draftFunding.paysFor(Number(minutes), showCredits(rate), isMasterUsed)
        : words.draftFunding.tooLow(showCredits(rate), isMasterUsed)}
    </Text>
  );
}
