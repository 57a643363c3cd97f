import { useMutation } from '@apollo/client/react';
import { useState } from 'react';
import { AllocateCreditsDocument, type WalletBalancesFragment } from '../../generated/graphql.js';
import { toCredits } from '../../lib/credits.js';
import { useAction } from '../../parts/useAction.js';
import { planMoves, sharesOf, type Move, type Shares } from './allocation.js';

interface KeyedMove extends Move {
  readonly idempotencyKey: string;
}

interface Allocation {
  readonly now: Shares;
  /** What the owner wants it to be; the same as `now` until something is changed. */
  readonly draft: Shares;
  readonly moves: readonly Move[];
  readonly busy: boolean;
  readonly error: unknown;
  readonly change: (draft: Shares) => void;
  readonly reset: () => void;
  /** True where all of it worked. */
  readonly save: () => Promise<boolean>;
}

/**
 * A new division of the credits: drafted, then saved as at most three moves.
 *
 * Each move has a key that is kept until it worked, so trying again after a lost answer moves nothing twice, and goes on
 * with what is left. Changing the draft is another wish, with other keys.
 */
export function useAllocation(wallet: WalletBalancesFragment): Allocation {
  const now = sharesOf(wallet);
  const [changed, setChanged] = useState<Shares>();
  const [pending, setPending] = useState<readonly KeyedMove[]>([]);
  const [allocate] = useMutation(AllocateCreditsDocument);

  // What arrives or is spent while somebody drafts goes to or from MASTER, as it does in the books.
  const draft = changed ? onTopOf(now, changed) : now;
  const moves = pending.length > 0 ? pending : draft ? planMoves(now, draft) : [];

  const { run, busy, error, clear } = useAction(async () => {
    const keyed =
      pending.length > 0 ? pending : moves.map((move) => ({ ...move, idempotencyKey: crypto.randomUUID() }));
    setPending(keyed);
    for (const [index, { from, to, micros, idempotencyKey }] of keyed.entries()) {
      await allocate({ variables: { from, to, amount: toCredits(micros), idempotencyKey } });
      setPending(keyed.slice(index + 1));
    }
    setChanged(undefined);
  });

  return {
    now,
    draft: draft ?? now,
    moves,
    busy,
    error,
    change(next) {
      clear();
      setPending([]);
      setChanged(next);
    },
    reset() {
      clear();
      setPending([]);
      setChanged(undefined);
    },
    save: run,
  };
}

/** The draft with MASTER as it must be for the total of now; undefined where that is no longer possible. */
function onTopOf(now: Shares, { creative, cloud, ai }: Shares): Shares | undefined {
  const master = now.master + now.creative + now.cloud + now.ai - creative - cloud - ai;
  return master < 0n ? undefined : { master, creative, cloud, ai };
}
