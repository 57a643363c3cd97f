import { join, resolve } from 'node:path';

import { createPaymentProviders } from '../adapters/payments/index.js';
import { FileSealArchive } from '../adapters/seals/fileSealArchive.js';
import { BillingDetailsService } from '../domain/billing/billingDetails.service.js';
import { InvoiceService } from '../domain/billing/invoice.service.js';
import { LowBalanceService } from '../domain/billing/lowBalance.service.js';
import { StatementService } from '../domain/billing/statement.service.js';
import { PaymentInbox } from '../domain/payments/inbox.js';
import { PaymentReconciler } from '../domain/payments/reconciler.js';
import { RefundService } from '../domain/payments/refund.service.js';
import { SupportPayments } from '../domain/payments/supportPayments.service.js';
import { TopUpService } from '../domain/payments/topUp.service.js';
import { deriveKey } from '../domain/playback/masterKey.js';
import { ReferralService } from '../domain/referrals/referral.service.js';
import { LedgerAudit } from '../domain/seals/ledgerAudit.js';
import { lastingSecret } from '../domain/secrets/lastingSecrets.js';
import { StorageService } from '../domain/storage/storage.service.js';
import { WalletService } from '../domain/wallet/wallet.service.js';
import { paymentOptionsOf } from '../paymentSettings.js';
import { sellerOf } from '../sellerSettings.js';
import type { Foundation } from './foundation.js';
import type { AppOptions } from './options.js';

/** Everything about credits: where they come from, where they go, and the papers about it. */
export async function createMoneyServices(
  { config, masterKey, publicUrl, logger }: AppOptions,
  { dataDir, db, masterKeys }: Foundation,
) {
  const { hasSandbox, ...paymentOptions } = paymentOptionsOf(config, config.NODE_ENV === 'production');
  const payments = createPaymentProviders({
    ...paymentOptions,
    db,
    logger,
    publicUrl,
    sandboxSecret: hasSandbox ? deriveKey(masterKey, 'payment-sandbox').toString('hex') : null,
  });
  const { providers, rates } = payments;
  // Hashes of payers outlive a master key.
  const paymentDeps = { db, logger, providers, payerKey: await lastingSecret(db, masterKeys, 'payer') };
  const paymentInbox = new PaymentInbox(paymentDeps);
  const wallet = new WalletService(db);
  const seller = sellerOf(config);
  const sealArchive = new FileSealArchive({ dir: resolve(config.LEDGER_SEALS_DIR ?? join(dataDir, 'seals')) });
  const maxRateAgeHours = config.USD_INR_RATE_MAX_AGE_HOURS;
  return {
    payments,
    paymentInbox,
    topUps: new TopUpService({ db, publicUrl, providers, rates, maxRateAgeHours }),
    refunds: new RefundService(paymentDeps),
    reconciler: new PaymentReconciler(paymentDeps),
    supportPayments: new SupportPayments({ db, inbox: paymentInbox }),
    wallet,
    storage: new StorageService(db),
    sealArchive,
    ledgerAudit: new LedgerAudit({ db, archive: sealArchive }),
    seller,
    statements: new StatementService({ db, wallet }),
    billingDetails: new BillingDetailsService(db),
    invoices: new InvoiceService({ db, seller }),
    lowBalance: new LowBalanceService(db),
    referrals: new ReferralService({ db, logger, publicUrl }),
  };
}
