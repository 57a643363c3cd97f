/**
 * Deadlines for what never happens. They only end a test that would wait forever, so that even a busy machine must not
 * miss them. A test that asserts that something happens within a time names its own limit.
 */

/** How long a test waits for one condition. */
export const WAIT_MS = 120_000;

/** How long a test waits for an encode, or for a process to start. */
export const LONG_WAIT_MS = 300_000;

/** How long a test or a hook may take with all of its waits. */
export const TEST_MS = 900_000;
