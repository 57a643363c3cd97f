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
  /** The wanted allocation; equals `now` until something is changed. */
  readonly draft: Shares;
  readonly moves: readonly Move[];
  readonly busy: boolean;
  readonly error: unknown;
  readonly change: (draft: Shares) => void;
  readonly reset: () => void;
  /** True if all moves succeeded. */
  readonly save: () => Promise<boolean>;
}

/**
 * A new allocation of credits: drafted, then saved as at most three moves.
 *
 * Each move keeps its key until it succeeds, so that a retry after a lost response moves nothing twice, and continues
 * with the rest. A changed draft gets new keys.
 */
export function useAllocation(wallet: WalletBalancesFragment): Allocation {
  const now = sharesOf(wallet);
  const [changed, setChanged] = useState<Shares>();
  const [pending, setPending] = useState<readonly KeyedMove[]>([]);
  const [allocate] = useMutation(AllocateCreditsDocument);

  // Credits that arrive or are spent meanwhile change MASTER, as they do in the ledger.
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

/** The draft with MASTER adjusted to the current total; undefined if that is no longer possible. */
function onTopOf(now: Shares, { creative, cloud, ai }: Shares): Shares | undefined {
  const master = now.master + now.creative + now.cloud + now.ai - creative - cloud - ai;
  return master < 0n ? undefined : { master, creative, cloud, ai };
}
