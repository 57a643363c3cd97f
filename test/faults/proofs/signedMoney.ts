import { randomBytes } from 'node:crypto';

import { pino } from 'pino';

import { RazorpayProvider } from '../../../src/adapters/payments/razorpay/razorpayProvider.js';
import {
  sandboxId,
  signedHeaders,
  type EventPayload,
  type EventSubject,
} from '../../../src/adapters/payments/sandbox/payloads/index.js';
import { StripeProvider } from '../../../src/adapters/payments/stripe/stripeProvider.js';
import { type Database, execute, type Statement } from '../../../src/db/sql.js';
import { newId } from '../../../src/domain/shared/ids.js';
import { enterOwner } from '../../../src/domain/payments/settlement/directory.js';
import { PaymentInbox } from '../../../src/domain/payments/inbox/inbox.js';
import { INSERT_TOPUP, STORE_CHECKOUT } from '../../../src/domain/payments/topUps/topUp.sql.js';
import { ReferralService } from '../../../src/domain/payments/referrals/referral.service.js';
import { LEDGER_ACCOUNTS } from '../../../src/domain/ledger/ledgerAccounts.js';
import { WalletService } from '../../../src/domain/ledger/wallet.service.js';
import type { PaymentProvider, ProviderName } from '../../../src/ports/paymentProvider.js';
import { WAIT_MS } from '../../support/deadlines.js';

/** Micro-credits of a paisa, and of a cent at 85 rupees to the dollar. */
const MICROS_PER_MINOR = { razorpay: 10_000n, stripe: 850_000n };

const OPEN: Statement = { name: 'signed-open', text: 'select open_account($1)' };
const REFER: Statement = {
  name: 'signed-refer',
  text: `
    select attribute_referral($1::uuid, 'invitee-' || $1::uuid || '@example.com', code)
    from referral_code where account_id = $2`,
};
const UNSETTLED: Statement = {
  name: 'signed-unsettled',
  text: `select 1 from webhook_event where provider = $1 and event_id = any ($2) and status in ('pending', 'failed')`,
};

/** The real providers' code over any database. Their webhooks are built and signed here, and nothing is sent. */
export class SignedMoney {
  readonly providers: ReadonlyMap<ProviderName, PaymentProvider>;
  readonly inbox: PaymentInbox;
  readonly referrals: ReferralService;
  readonly wallet: WalletService;

  /** @param isSandbox whether its top-ups are the sandbox's, whose webhooks are signed with `secret` */
  constructor(
    readonly db: Database,
    private readonly secret = randomBytes(16).toString('hex'),
    private readonly isSandbox = false,
  ) {
    const webhookSecrets = [secret];
    const logger = pino({ level: 'silent' });
    this.providers = new Map<ProviderName, PaymentProvider>([
      [
        'razorpay',
        new RazorpayProvider({
          keyId: 'rzp_test_none',
          keySecret: 'none',
          webhookSecrets,
          returnEndpoint: 'https://dhara.example/webhooks/return',
        }),
      ],
      ['stripe', new StripeProvider({ secretKey: 'sk_test_none', webhookSecrets })],
    ]);
    this.inbox = new PaymentInbox({ db, providers: this.providers, logger, payerKey: randomBytes(32) });
    this.referrals = new ReferralService({ db, logger, publicUrl: 'https://dhara.example' });
    this.wallet = new WalletService(db);
  }

  async account(): Promise<string> {
    const accountId = newId();
    await this.db.sql.query(OPEN, [accountId]);
    return accountId;
  }

  /** An account that signed up with another account's code. */
  async invitee(): Promise<{ referrerId: string; inviteeId: string }> {
    const [referrerId, inviteeId] = [await this.account(), await this.account()];
    await this.db.sql.query(REFER, [inviteeId, referrerId]);
    return { referrerId, inviteeId };
  }

  /**
   * A top-up with its checkout, as the provider would know it once it is paid, refunded and disputed.
   *
   * @param after how long after the capture the refund was made
   */
  async paid(provider: ProviderName, accountId: string, capturedAt: Date, after: { refundMs: number }) {
    const isStripe = provider === 'stripe';
    const topUpId = newId();
    const orderId = sandboxId(isStripe ? 'cs_test' : 'order');
    const currency = isStripe ? 'USD' : 'INR';
    await execute(this.db.sql, INSERT_TOPUP, {
      accountId,
      id: topUpId,
      idempotencyKey: topUpId,
      provider,
      isSandbox: this.isSandbox,
      currency,
      amountMinor: '10000',
      microsPerMinor: MICROS_PER_MINOR[provider].toString(),
      rateAsOf: isStripe ? new Date() : null,
      returnPath: '/wallet',
      validMinutes: 60,
    });
    await execute(this.db.sql, STORE_CHECKOUT, {
      accountId,
      id: topUpId,
      orderId,
      method: 'GET',
      url: 'https://pay.example',
      fields: '[]',
    });
    await enterOwner(this.db.sql, provider, orderId, { accountId, topUpId });
    const at = (ms: number) => new Date(capturedAt.getTime() + ms);
    return {
      order: {
        orderId,
        accountId,
        topUpId,
        amountMinor: 10_000n,
        currency,
        description: 'Dhara credits',
        returnUrl: 'https://dhara.example/wallet',
        createdAt: at(-60_000),
        expiresAt: at(3_600_000),
      },
      payment: {
        paymentId: sandboxId(isStripe ? 'pi' : 'pay'),
        amountMinor: 10_000n,
        payerEmail: `payer-${accountId}@example.com`,
        createdAt: at(-1_000),
        refundedMinor: 4_000n,
      },
      refund: {
        refundId: sandboxId(isStripe ? 're' : 'rfnd'),
        amountMinor: 4_000n,
        createdAt: at(after.refundMs),
        requestKey: null,
      },
      dispute: {
        disputeId: sandboxId(isStripe ? 'du' : 'disp'),
        amountMinor: 8_000n,
        createdAt: at(72 * 3_600_000),
      },
    } satisfies EventSubject;
  }

  /** Receives a webhook as its endpoint does: signature, head, inbox. */
  async receive(name: ProviderName, event: EventPayload): Promise<boolean> {
    const provider = this.providers.get(name)!;
    const body = Buffer.from(event.body);
    return this.inbox.receive(name, provider.verify(body, signedHeaders(name, event, this.secret)), body);
  }

  /** Processes the inbox until these events are done: another process may have them. */
  async settled(provider: ProviderName, eventIds: readonly string[]): Promise<void> {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      await this.inbox.drain();
      const open = await this.db.sql.query(UNSETTLED, [provider, eventIds]);
      if (open.length === 0) return;
      if (performance.now() > deadline) throw new Error('the inbox was never done');
    }
  }

  /**
   * All accounts of the owner, in order of their numbers. Micro-credits, because credits with all their decimals are
   * too long to read.
   */
  async balances(accountId: string): Promise<Record<string, bigint>> {
    const balances = await this.wallet.balances(accountId);
    const names = Object.keys(LEDGER_ACCOUNTS) as (keyof typeof LEDGER_ACCOUNTS)[];
    return Object.fromEntries(names.filter((name) => balances[name] !== 0n).map((name) => [name, balances[name]]));
  }
}
