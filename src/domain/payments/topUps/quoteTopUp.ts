import { execute, type Sql, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { ExchangeRate, ExchangeRates } from '../../../ports/exchangeRates.js';
import type { Currency } from '../../../ports/paymentProvider.js';

/** What a minor unit is worth, and how long the quote is valid. */
export interface TopUpRate {
  readonly microsPerMinor: bigint;
  /** `null` for rupees, whose worth never changes. */
  readonly rateAsOf: Date | null;
  readonly validMinutes: number;
}

const MICROS_PER_PAISA = 10_000n;
const RUPEE_MINUTES = 24 * 60;
/** Short, because rates change. A Stripe checkout cannot be shorter than half an hour. */
const DOLLAR_MINUTES = 60;

const IS_STALE = statement<{ asOf: Date; maxRateAgeHours: number }, { stale: boolean }>(
  'rate-is-stale',
  `select :asOf::timestamptz < service_now() - :maxRateAgeHours * interval '1 hour' as stale`,
);

/** @throws RATE_UNAVAILABLE if there is no rate, or only one that is too old. */
export async function quoteTopUp(
  sql: Sql,
  currency: Currency,
  deps: { readonly rates: ExchangeRates; readonly maxRateAgeHours: number },
): Promise<TopUpRate> {
  if (currency === 'INR') return { microsPerMinor: MICROS_PER_PAISA, rateAsOf: null, validMinutes: RUPEE_MINUTES };
  const rate: ExchangeRate = await deps.rates.usdToInr();
  const [age] = await execute(sql, IS_STALE, { asOf: rate.asOf, maxRateAgeHours: deps.maxRateAgeHours });
  if (age!.stale || rate.microsPerCent <= 0n) {
    throw new AppError('RATE_UNAVAILABLE', 'No current exchange rate. Try again later.');
  }
  return { microsPerMinor: rate.microsPerCent, rateAsOf: rate.asOf, validMinutes: DOLLAR_MINUTES };
}
