import { env } from 'node:process';

import fc from 'fast-check';

/** fast-check with the run's seed, if it has one, so that a failure repeats with the same `PROOF_SEED`. */
const seed = env['PROOF_SEED'];
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });

export default fc;
