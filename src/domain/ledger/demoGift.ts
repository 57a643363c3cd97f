import { MICROS_PER_CREDIT } from './credits.js';

/** What the demo account of the first start is given, once. */
export const DEMO_GIFT = {
  email: 'demo@dhara.localhost',
  amountMicros: 500n * MICROS_PER_CREDIT,
  idempotencyKey: 'demo:credits',
} as const;
