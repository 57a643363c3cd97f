import { type Database, execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { ExchangeRates } from '../../../ports/exchangeRates.js';
import type { PaymentProvider, ProviderName } from '../../../ports/paymentProvider.js';
import { LOCK_SUSPENDED } from '../../accounts/account.sql.js';
import { isUuid, newId } from '../../shared/ids.js';
import { formatAmount, parseAmount, TOPUP_LIMITS } from './amounts.js';
import { enterOwner } from '../settlement/directory.js';
import type { PaymentProviders } from '../inbox/inbox.js';
import { quoteTopUp, type TopUpRate } from './quoteTopUp.js';
import { readDetails, type TopUpDetails } from './topUpDetails.js';
import { FIND_TOPUP, topUpOf, type TopUp } from './topUp.js';
import {
  COUNT_OPEN,
  EMAIL_OF,
  INSERT_TOPUP,
  LIST_TOPUPS,
  MAKE_TIME,
  STORE_CHECKOUT,
  TOPUP_BY_KEY,
} from './topUp.sql.js';

/** A top-up as an owner requests it. */
export interface TopUpOrder {
  readonly provider: ProviderName;
  /** A decimal string in the provider's currency, such as `"499.50"`, or a bigint in paise or cents. */
  readonly amount: string | bigint;
  readonly idempotencyKey: string;
  /** The path on our site to which the payer returns. */
  readonly returnPath?: string;
}

/** A way to pay, as an owner sees it. */
export interface PaymentOffer {
  readonly provider: PaymentProvider;
  /** `null` if there is no current exchange rate. */
  readonly rate: TopUpRate | null;
}

const MAX_OPEN = 20;
const MAX_KEY_LENGTH = 200;
const MAX_PATH_LENGTH = 200;
const RETURN_PATH = /^\/(?![/\\])[\w\-./~]*$/;

/** Top-ups: quoted and stored first, and only then opened at the provider. Nothing here credits. */
export class TopUpService {
  constructor(
    private readonly deps: {
      readonly db: Database;
      readonly providers: PaymentProviders;
      readonly rates: ExchangeRates;
      readonly maxRateAgeHours: number;
      /** Without a trailing slash. */
      readonly publicUrl: string;
    },
  ) {}

  /** The ways to pay, with their current rates. */
  async offers(): Promise<PaymentOffer[]> {
    const { db, providers } = this.deps;
    const offers = [...providers.values()].map(async (provider) => {
      try {
        return { provider, rate: await quoteTopUp(db.sql, provider.currency, this.deps) };
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'RATE_UNAVAILABLE') throw error;
        return { provider, rate: null };
      }
    });
    return Promise.all(offers);
  }

  /**
   * Stores a top-up with its quote, then opens its checkout. The same key is the same top-up: retrying after
   * PROVIDER_UNAVAILABLE opens the checkout of that top-up.
   *
   * @throws INVALID_INPUT, ACCOUNT_SUSPENDED, LIMIT_REACHED, RATE_UNAVAILABLE, IDEMPOTENCY_CONFLICT, QUOTE_EXPIRED,
   * PROVIDER_UNAVAILABLE
   */
  async createTopUp(accountId: string, order: TopUpOrder): Promise<TopUp> {
    const provider = this.providerOf(order.provider);
    const amountMinor = checkedAmount(order.amount, provider);
    const idempotencyKey = checkedKey(order.idempotencyKey);
    const returnPath = checkedPath(order.returnPath ?? '/wallet');
    const made = await this.byKey(this.deps.db.sql, accountId, idempotencyKey);
    if (!made) {
      const rate = await quoteTopUp(this.deps.db.sql, provider.currency, this.deps);
      await this.insert(accountId, { provider, amountMinor, idempotencyKey, returnPath, rate });
    }
    const topUp = made ?? (await this.byKey(this.deps.db.sql, accountId, idempotencyKey));
    if (topUp?.provider !== provider.name || topUp.amountMinor !== amountMinor) {
      throw new AppError('IDEMPOTENCY_CONFLICT', 'This idempotency key was used for another top-up.');
    }
    return topUp.checkout === null && topUp.status !== 'paid' ? this.open(topUp, provider) : topUp;
  }

  /** Newest first, at most `first`. @param page `after` is the last top-up's id. */
  async list(accountId: string, page: { first: number; after: string | null }): Promise<TopUpDetails[]> {
    if (page.after !== null && !isUuid(page.after)) {
      throw new AppError('INVALID_PARAMETER', 'after: invalid cursor.');
    }
    const rows = await execute(this.deps.db.sql, LIST_TOPUPS, { accountId, after: page.after, first: page.first });
    return readDetails(this.deps.db.sql, accountId, rows.map(topUpOf));
  }

  /** @throws NOT_FOUND */
  async get(accountId: string, topUpId: string): Promise<TopUpDetails> {
    const [row] = isUuid(topUpId) ? await execute(this.deps.db.sql, FIND_TOPUP, { accountId, topUpId }) : [];
    if (!row) throw new AppError('NOT_FOUND', 'Top-up not found.');
    const [details] = await readDetails(this.deps.db.sql, accountId, [topUpOf(row)]);
    return details!;
  }

  private async insert(
    accountId: string,
    order: {
      provider: PaymentProvider;
      amountMinor: bigint;
      idempotencyKey: string;
      returnPath: string;
      rate: TopUpRate;
    },
  ): Promise<void> {
    const { provider, amountMinor, idempotencyKey, returnPath, rate } = order;
    await this.deps.db.transaction(async ({ sql }) => {
      // Serializes an account's new top-ups, so that they can be counted.
      const [owner] = await execute(sql, LOCK_SUSPENDED, { accountId });
      if (!owner) throw new AppError('ACCOUNT_NOT_FOUND', 'Account not found.');
      if (owner.suspended) throw new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.');
      if (await this.byKey(sql, accountId, idempotencyKey)) return;
      const [count] = await execute(sql, COUNT_OPEN, { accountId });
      if (count!.open >= MAX_OPEN) {
        throw new AppError(
          'LIMIT_REACHED',
          `There are ${MAX_OPEN} top-ups waiting to be paid. Please pay one of them.`,
        );
      }
      await execute(sql, INSERT_TOPUP, {
        accountId,
        id: newId(),
        idempotencyKey,
        provider: provider.name,
        isSandbox: provider.sandbox,
        currency: provider.currency,
        amountMinor: amountMinor.toString(),
        microsPerMinor: rate.microsPerMinor.toString(),
        rateAsOf: rate.rateAsOf,
        returnPath,
        validMinutes: rate.validMinutes,
      });
    });
  }

  /** Calls the provider outside any transaction, because it may be slow. */
  private async open(topUp: TopUp, provider: PaymentProvider): Promise<TopUp> {
    const { db, publicUrl } = this.deps;
    const { accountId, id } = topUp;
    const [time] = await execute(db.sql, MAKE_TIME, { accountId, id });
    if (!time) {
      const now = await this.get(accountId, id);
      if (now.checkout !== null) return now;
      throw new AppError('QUOTE_EXPIRED', 'This quote has expired. Get a new one.');
    }
    const [user] = await execute(db.sql, EMAIL_OF, { accountId });
    const checkout = await provider.openCheckout({
      accountId,
      topUpId: id,
      amountMinor: topUp.amountMinor,
      currency: topUp.currency,
      description: `Dhara credits for ${topUp.currency} ${formatAmount(topUp.amountMinor)}`,
      payerEmail: user?.email ?? '',
      expiresAt: new Date(time.expires_at),
      returnUrl: `${publicUrl}${topUp.returnPath}?topUp=${id}`,
    });
    await db.transaction(async ({ sql }) => {
      const { orderId, method, url, fields } = checkout;

      const [stored] = await execute(sql, STORE_CHECKOUT, {
        accountId,
        id,
        orderId,
        method,
        url,
        fields: JSON.stringify(fields),
      });
      if (stored) await enterOwner(sql, provider.name, orderId, { accountId, topUpId: id });
    });
    return this.get(accountId, id);
  }

  private async byKey(sql: Sql, accountId: string, idempotencyKey: string): Promise<TopUp | null> {
    const [row] = await execute(sql, TOPUP_BY_KEY, { accountId, idempotencyKey });
    return row ? topUpOf(row) : null;
  }

  private providerOf(name: ProviderName): PaymentProvider {
    const provider = this.deps.providers.get(name);
    if (!provider) throw new AppError('INVALID_INPUT', 'This way to pay is not available.');
    return provider;
  }
}

/** The providers' names for people. */
const PROVIDER_LABELS: Readonly<Record<ProviderName, string>> = { razorpay: 'Razorpay', stripe: 'Stripe' };

function checkedAmount(amount: string | bigint, { name, currency }: PaymentProvider): bigint {
  const amountMinor = typeof amount === 'string' ? parseAmount(amount) : amount;
  const { minMinor, maxMinor } = TOPUP_LIMITS[currency];
  if (amountMinor < minMinor || amountMinor > maxMinor) {
    const details = { min: formatAmount(minMinor), max: formatAmount(maxMinor) };
    const message =
      amountMinor < minMinor
        ? `The smallest payment that ${PROVIDER_LABELS[name]} accepts is ${currency} ${details.min}. There is no other minimum.`
        : `One top-up is at most ${currency} ${details.max}. For more, top up again.`;
    throw new AppError('INVALID_INPUT', message, { details });
  }
  return amountMinor;
}

/** @throws INVALID_INPUT */
export function checkedKey(key: string): string {
  if (key.length === 0 || key.length > MAX_KEY_LENGTH || key.includes('\0')) {
    throw new AppError('INVALID_INPUT', 'An idempotency key has 1 to 200 characters.');
  }
  return key;
}

/** Accepts only a path on our own site, so that the payer cannot be sent anywhere else. */
function checkedPath(path: string): string {
  if (path.length > MAX_PATH_LENGTH || !RETURN_PATH.test(path)) {
    throw new AppError('INVALID_INPUT', 'returnPath is a path on this site.');
  }
  return path;
}
