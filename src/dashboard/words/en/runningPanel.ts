import { showNumber } from '../../lib/format.js';

/** The jobs that run: on the home page, loaded when there are any. */
export const words = {
  processing: 'Processing',
  running: (count: number) => `${showNumber(count)} running`,
  queued: (count: number) => `${showNumber(count)} queued`,
};
