import { GIVEN_SETUP } from './givenSetup.js';

/**
 * Node's options for a program of the tests that runs in a process of its own.
 *
 * The set-up has built the server. If it is another run's, as for each mutant, its build has other code.
 */
export const OWN_PROCESS: readonly string[] =
  process.env[GIVEN_SETUP] === undefined
    ? [
        '--disable-warning=ExperimentalWarning',
        '--experimental-transform-types',
        '--import',
        new URL('./builtServer.mjs', import.meta.url).href,
      ]
    : ['--import', 'tsx'];
