import { words } from '#words/upload.js';
import { useQuery } from '@apollo/client/react';
import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { WalletDocument } from '../generated/graphql.js';
import { microsOf, showAbout, showCredits, toCredits } from '../lib/credits.js';
import type { Batch } from '../processing/batch.js';
import { choiceOf } from '../processing/batch.js';
import { ratePerMinute, type PriceList } from '../processing/choice.js';
import { availableFor, drawsFromMaster } from '../processing/funding.js';
import type { Wishes } from './drafts.js';
import { estimateMicros, type FileFacts } from './fileFacts.js';

interface Props {
  readonly files: readonly File[];
  readonly facts: ReadonlyMap<File, FileFacts | null>;
  readonly wishes: Batch<File, Wishes>;
  readonly prices: PriceList | undefined;
}

/**
 * What the files will cost and whether it is funded, before the first byte is sent. For files that the browser cannot
 * open: how much video the wallet pays for.
 */
export function DraftFunding({ files, facts, wishes, prices }: Props) {
  const { data } = useQuery(WalletDocument);
  if (!prices || !data) return null;
  const { wallet } = data;
  const owed = -microsOf(wallet.debt);
  if (owed > 0n) return <Line action="debt">{words.draftFunding.debt(showCredits(toCredits(owed)))}</Line>;

  const isMasterUsed = drawsFromMaster(wallet);
  const available = availableFor(wallet);
  const known = files.flatMap((file) => {
    const fact = facts.get(file);
    return fact ? [estimateMicros(choiceOf(wishes, file), fact, prices)] : [];
  });
  if (known.length > 0) {
    const total = known.reduce((sum, micros) => sum + micros, 0n);
    const cost = words.draftFunding.costs(showAbout(total), known.length, files.length);
    const missing = total - available;
    if (missing <= 0n) return <Line>{words.draftFunding.covered(cost, isMasterUsed)}</Line>;
    return <Line action="add">{words.draftFunding.missing(cost, showAbout(missing), isMasterUsed)}</Line>;
  }
  const rate = ratePerMinute(wishes.shared, prices);
  const minutes = microsOf(rate) === 0n ? 0n : available / microsOf(rate);
  if (minutes > 0n) {
    return <Line>{words.draftFunding.paysFor(Number(minutes), showCredits(rate), isMasterUsed)}</Line>;
  }
  return <Line action="add">{words.draftFunding.tooLow(showCredits(rate), isMasterUsed)}</Line>;
}

/** With an action, the owner has to do something about it, and the line stands out. */
function Line({ children, action }: { children: string; action?: 'add' | 'debt' }) {
  return (
    <Text size="sm" c={action ? undefined : 'dimmed'} className="num" role="status">
      {children}
      {action ? (
        <>
          {' '}
          <Anchor component={Link} to="/wallet" inherit>
            {action === 'add' ? words.draftFunding.addCredits : words.draftFunding.payInWallet}
          </Anchor>
        </>
      ) : null}
    </Text>
  );
}
