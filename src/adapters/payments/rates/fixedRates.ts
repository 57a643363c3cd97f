import { type NoParams, execute, type Sql, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { ExchangeRate, ExchangeRates } from '../../../ports/exchangeRates.js';

const NOW = statement<NoParams, { now: string }>('sandbox-rate-now', 'select service_now() as now');
/** 85.00 INR per USD. */
const SANDBOX_MICROS_PER_CENT = 850_000n;

/** The rate from a setting, as old as its date says. */
export class SettingRates implements ExchangeRates {
  constructor(private readonly rate: ExchangeRate) {}

  usdToInr(): Promise<ExchangeRate> {
    return Promise.resolve(this.rate);
  }
}

/** A fixed rate for the sandbox, current at any time of the service's clock. */
export class SandboxRates implements ExchangeRates {
  constructor(private readonly sql: Sql) {}

  async usdToInr(): Promise<ExchangeRate> {
    const [row] = await execute(this.sql, NOW);
    return { microsPerCent: SANDBOX_MICROS_PER_CENT, asOf: new Date(row!.now) };
  }
}

/** For a service without a configured dollar rate. */
export class NoRates implements ExchangeRates {
  usdToInr(): Promise<ExchangeRate> {
    return Promise.reject(new AppError('RATE_UNAVAILABLE', 'No exchange rate for US dollars.'));
  }
}
