/** What a US dollar is worth in rupees, exactly: 1 cent = `microsPerCent` micro-credits (1 credit = 1 INR). */
export interface ExchangeRate {
  /** INR per USD × 10,000, so four decimals of the rate are kept and every cent is a whole number of micro-credits. */
  readonly microsPerCent: bigint;
  /** When the rate held. */
  readonly asOf: Date;
}

export interface ExchangeRates {
  /** @throws RATE_UNAVAILABLE where there is none. Whoever asks checks its age. */
  usdToInr(): Promise<ExchangeRate>;
}
