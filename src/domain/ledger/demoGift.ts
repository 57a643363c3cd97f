import { MICROS_PER_CREDIT } from './credits.js';

/** Credits for the demo account of the first start, given once. */
export const DEMO_GIFT = {
  email: 'demo@dhara.localhost',
  amountMicros: 500n * MICROS_PER_CREDIT,
  idempotencyKey: 'demo:credits',
} as const;
