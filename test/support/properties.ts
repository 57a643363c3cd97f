import { env } from 'node:process';

import fc from 'fast-check';

/** fast-check, with the seed of the whole run where there is one: what fails fails again with the same `PROOF_SEED`. */
const seed = env['PROOF_SEED'];
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });

export default fc;
