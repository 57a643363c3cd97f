/** The worth of a US dollar in rupees, exactly: 1 cent = `microsPerCent` micro-credits (1 credit = 1 INR). */
export interface ExchangeRate {
  /** INR per USD × 10,000. Keeps four decimals of the rate, and every cent is a whole number of micro-credits. */
  readonly microsPerCent: bigint;
  /** The time of the rate. */
  readonly asOf: Date;
}

export interface ExchangeRates {
  /** @throws RATE_UNAVAILABLE if there is none. The caller checks its age. */
  usdToInr(): Promise<ExchangeRate>;
}
