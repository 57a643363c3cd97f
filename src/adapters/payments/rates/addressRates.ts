import { z } from 'zod';

import { AppError } from '../../../errors.js';
import type { Logger } from '../../../logger.js';
import type { ExchangeRate, ExchangeRates } from '../../../ports/exchangeRates.js';
import { parseRate } from './rate.js';

const CACHE_MS = 10 * 60_000;
/** Keeps visitors from calling a source that does not respond. */
const RETRY_MS = 30_000;
const TIMEOUT_MS = 5_000;
const MAX_BODY_BYTES = 64 * 1024;

/** The required response: INR per USD, and the time of that rate. */
const ANSWER = z.object({
  rate: z.union([z.string(), z.number().transform(String)]),
  asOf: z.string(),
});

export interface AddressRatesOptions {
  /** Responds with `{"rate": 85.1234, "asOf": "2026-01-31T00:00:00Z"}`. */
  readonly url: string;
  readonly logger: Logger;
  readonly cacheMs?: number;
  readonly retryMs?: number;
  readonly timeoutMs?: number;
}

/**
 * The rate from an address, cached for minutes. While the address does not respond, the last rate is used, with its
 * true age.
 */
export class AddressRates implements ExchangeRates {
  private last: ExchangeRate | null = null;
  private askAgainAtMs = 0;
  private asking: Promise<void> | null = null;

  constructor(private readonly options: AddressRatesOptions) {}

  async usdToInr(): Promise<ExchangeRate> {
    if (performance.now() >= this.askAgainAtMs) {
      this.asking ??= this.ask().finally(() => (this.asking = null));
      await this.asking;
    }
    if (this.last !== null) return this.last;
    throw new AppError('RATE_UNAVAILABLE', 'The exchange rate is unavailable. Try again.');
  }

  private async ask(): Promise<void> {
    const { url, logger, cacheMs = CACHE_MS, retryMs = RETRY_MS, timeoutMs = TIMEOUT_MS } = this.options;
    try {
      this.last = await fetchRate(url, timeoutMs);
      this.askAgainAtMs = performance.now() + cacheMs;
    } catch (error) {
      // The address may contain a key.
      logger.warn({ scope: 'payments', reason: reasonOf(error) }, 'could not read the exchange rate');
      this.askAgainAtMs = performance.now() + retryMs;
    }
  }
}

async function fetchRate(url: string, timeoutMs: number): Promise<ExchangeRate> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  }
  const { rate, asOf } = ANSWER.parse(JSON.parse(await boundedText(response)));
  return parseRate(rate, asOf);
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const chunk of body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > MAX_BODY_BYTES) throw new Error('the response is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return 'the response has an unexpected format';
  return error instanceof Error ? error.message : 'unknown';
}
