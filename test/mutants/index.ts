import { lowBalanceMutants } from './lowBalances.js';
import type { Mutant } from './mutant.js';
import { paymentMutants } from './payments.js';
import { playbackMutants } from './playback.js';
import { processingMutants } from './processing.js';
import { topUpMutants } from './topUps.js';
import { walletMutants } from './wallet.js';

/** All mutants that the tests must notice, grouped by the domain folder that they break. */
export const MUTANTS: readonly Mutant[] = [
  ...walletMutants,
  ...paymentMutants,
  ...topUpMutants,
  ...lowBalanceMutants,
  ...playbackMutants,
  ...processingMutants,
];
