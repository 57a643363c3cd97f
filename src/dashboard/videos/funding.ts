import type { WalletBalancesFragment } from '../generated/graphql.js';
import { microsOf } from '../lib/credits.js';

/** What pays a price: Creative, then Master if Creative draws from it. In micro-credits. */
export interface Funding {
  readonly fromCreative: bigint;
  readonly fromMaster: bigint;
  /** Above zero, nothing is taken: jobs are paid in full or not at all. */
  readonly missing: bigint;
}

export function fundingOf(
  totalMicros: bigint,
  wallet: Pick<WalletBalancesFragment, 'creative' | 'master' | 'automaticAllocation'>,
): Funding {
  const fromCreative = least(totalMicros, microsOf(wallet.creative));
  const available = wallet.automaticAllocation.includes('CREATIVE') ? microsOf(wallet.master) : 0n;
  const fromMaster = least(totalMicros - fromCreative, available);
  return { fromCreative, fromMaster, missing: totalMicros - fromCreative - fromMaster };
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
