import type { Mutant } from './mutant.js';
import { paymentMutants } from './payments.js';
import { playbackMutants } from './playback.js';
import { processingMutants } from './processing.js';
import { topUpMutants } from './topUps.js';
import { walletMutants } from './wallet.js';

/** Every edit that the tests are held against, by the folder of the domain that it breaks. */
export const MUTANTS: readonly Mutant[] = [
  ...walletMutants,
  ...paymentMutants,
  ...topUpMutants,
  ...playbackMutants,
  ...processingMutants,
];
