import type { WalletBalancesFragment } from '../generated/graphql.js';
import { microsOf } from '../lib/credits.js';

/** What pays a price: Creative, then Master if Creative draws from it. In micro-credits. */
export interface Funding {
  readonly fromCreative: bigint;
  readonly fromMaster: bigint;
  /** Above zero, nothing is taken: jobs are paid in full or not at all. */
  readonly missing: bigint;
}

type Wallet = Pick<WalletBalancesFragment, 'creative' | 'master' | 'automaticAllocation'>;

export function fundingOf(totalMicros: bigint, wallet: Wallet): Funding {
  const fromCreative = least(totalMicros, microsOf(wallet.creative));
  const fromMaster = least(totalMicros - fromCreative, masterOf(wallet));
  return { fromCreative, fromMaster, missing: totalMicros - fromCreative - fromMaster };
}

/** What jobs can spend, in micro-credits. */
export function availableFor(wallet: Wallet): bigint {
  return microsOf(wallet.creative) + masterOf(wallet);
}

/** Whether Creative draws from Master what it lacks. */
export function drawsFromMaster(wallet: Pick<Wallet, 'automaticAllocation'>): boolean {
  return wallet.automaticAllocation.includes('CREATIVE');
}

function masterOf(wallet: Wallet): bigint {
  return drawsFromMaster(wallet) ? microsOf(wallet.master) : 0n;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
