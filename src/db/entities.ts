import { PaymentSandboxDispute } from '../adapters/payments/sandbox/paymentSandboxDispute.entity.js';
import { PaymentSandboxOrder } from '../adapters/payments/sandbox/paymentSandboxOrder.entity.js';
import { PaymentSandboxPayment } from '../adapters/payments/sandbox/paymentSandboxPayment.entity.js';
import { PaymentSandboxRefund } from '../adapters/payments/sandbox/paymentSandboxRefund.entity.js';
import { PaymentSandboxWebhook } from '../adapters/payments/sandbox/paymentSandboxWebhook.entity.js';
import { AccessToken } from '../domain/accounts/accessTokens/accessToken.entity.js';
import { Account } from '../domain/accounts/account.entity.js';
import { AccountClosing } from '../domain/operations/closing/accountClosing.entity.js';
import { ApiKey } from '../domain/accounts/keys/apiKey.entity.js';
import { ApiKeyDay } from '../domain/accounts/keys/apiKeyDay.entity.js';
import { RevokedQuota } from '../domain/accounts/keys/revokedQuota.entity.js';
import { Notice } from '../domain/accounts/notices/notice.entity.js';
import { NotificationChoice } from '../domain/accounts/notices/notificationChoice.entity.js';
import { TestFault } from '../domain/accounts/testMode/testFault.entity.js';
import { TestAccount } from '../domain/accounts/testMode/testAccount.entity.js';
import { StaffDay } from '../domain/accounts/staffDay.entity.js';
import { Escrow } from '../domain/ledger/escrow.entity.js';
import { LedgerAccount } from '../domain/ledger/ledgerAccount.entity.js';
import { LedgerEntry } from '../domain/ledger/ledgerEntry.entity.js';
import { LedgerRule } from '../domain/ledger/ledgerRule.entity.js';
import { LedgerTx } from '../domain/ledger/ledgerTx.entity.js';
import { LedgerAudit } from '../domain/ledger/seals/ledgerAudit.entity.js';
import { LedgerSeal } from '../domain/ledger/seals/ledgerSeal.entity.js';
import { LedgerSealNight } from '../domain/ledger/seals/ledgerSealNight.entity.js';
import { LedgerSealOwner } from '../domain/ledger/seals/ledgerSealOwner.entity.js';
import { LedgerSealReconciliation } from '../domain/ledger/seals/ledgerSealReconciliation.entity.js';
import { Brand } from '../domain/media/branding/brand.entity.js';
import { BrandLogo } from '../domain/media/branding/brandLogo.entity.js';
import { BrandVersion } from '../domain/media/branding/brandVersion.entity.js';
import { Caption } from '../domain/media/captions/caption.entity.js';
import { MediaKey } from '../domain/media/keys/mediaKey.entity.js';
import { Rendition } from '../domain/media/library/rendition.entity.js';
import { Video } from '../domain/media/library/video.entity.js';
import { VideoCount } from '../domain/media/library/videoCount.entity.js';
import { StoredObject } from '../domain/media/objects/storedObject.entity.js';
import { Processing } from '../domain/media/pipeline/processing.entity.js';
import { ProcessingChunk } from '../domain/media/pipeline/processingChunk.entity.js';
import { ProcessingOutput } from '../domain/media/pipeline/processingOutput.entity.js';
import { Quote } from '../domain/media/pipeline/quote.entity.js';
import { Upload } from '../domain/media/uploads/upload.entity.js';
import { AccountImport } from '../domain/operations/moving/accountImport.entity.js';
import { AccountNote } from '../domain/operations/support/accountNote.entity.js';
import { Adjustment } from '../domain/operations/support/adjustment.entity.js';
import { StaffView } from '../domain/operations/support/staffView.entity.js';
import { StaffRequest } from '../domain/operations/support/staffRequest.entity.js';
import { PlatformDay } from '../domain/operations/totals/platformDay.entity.js';
import { BillingDetails } from '../domain/payments/billing/billingDetails.entity.js';
import { Invoice } from '../domain/payments/billing/invoice.entity.js';
import { InvoiceCounter } from '../domain/payments/billing/invoiceCounter.entity.js';
import { LowBalance } from '../domain/payments/billing/lowBalance.entity.js';
import { WebhookEvent } from '../domain/payments/inbox/webhookEvent.entity.js';
import { Payer } from '../domain/payments/referrals/payer.entity.js';
import { Referral } from '../domain/payments/referrals/referral.entity.js';
import { ReferralCode } from '../domain/payments/referrals/referralCode.entity.js';
import { ReferralInvitee } from '../domain/payments/referrals/referralInvitee.entity.js';
import { ReferralOutbox } from '../domain/payments/referrals/referralOutbox.entity.js';
import { RefundRequest } from '../domain/payments/refunds/refundRequest.entity.js';
import { Payment } from '../domain/payments/settlement/payment.entity.js';
import { PaymentDirectory } from '../domain/payments/settlement/paymentDirectory.entity.js';
import { PaymentDispute } from '../domain/payments/settlement/paymentDispute.entity.js';
import { PaymentRefund } from '../domain/payments/settlement/paymentRefund.entity.js';
import { SuspenseItem } from '../domain/payments/settlement/suspenseItem.entity.js';
import { StorageDay } from '../domain/payments/storage/storageDay.entity.js';
import { StorageNight } from '../domain/payments/storage/storageNight.entity.js';
import { StorageReversal } from '../domain/payments/storage/storageReversal.entity.js';
import { StorageReversedDay } from '../domain/payments/storage/storageReversedDay.entity.js';
import { AutomaticAllocation } from '../domain/ledger/automaticAllocation.entity.js';
import { TopUp } from '../domain/payments/topUps/topUp.entity.js';
import { PlaybackDay } from '../domain/playback/analytics/playbackDay.entity.js';
import { PlaybackHour } from '../domain/playback/analytics/playbackHour.entity.js';
import { PlaybackMonth } from '../domain/playback/analytics/playbackMonth.entity.js';
import { PlaybackMonthState } from '../domain/playback/analytics/playbackMonthState.entity.js';
import { PlaybackSalt } from '../domain/playback/analytics/playbackSalt.entity.js';
import { PlaybackView } from '../domain/playback/analytics/playbackView.entity.js';
import { PlaybackVisitor } from '../domain/playback/analytics/playbackVisitor.entity.js';
import { PlaybackSigningKey } from '../domain/playback/playbackSigningKey.entity.js';
import { Alert } from '../domain/shared/alerts/alert.entity.js';
import { AuditEntry } from '../domain/shared/auditEntry.entity.js';
import { Backup } from '../domain/operations/backups/backup.entity.js';
import { ClockMachine } from '../domain/shared/clock/clockMachine.entity.js';
import { ServiceClock } from '../domain/shared/clock/serviceClock.entity.js';
import { Event } from '../domain/shared/events/event.entity.js';
import { EventCount } from '../domain/shared/events/eventCount.entity.js';
import { EventFact } from '../domain/shared/events/eventFact.entity.js';
import { VideoChange } from '../domain/shared/videoChanges/videoChange.entity.js';
import { LastingSecret } from '../domain/shared/secrets/lastingSecret.entity.js';
import { DeletedWebhookEndpoint } from '../domain/accounts/webhooks/deletedWebhookEndpoint.entity.js';
import { WebhookAttempt } from '../domain/accounts/webhooks/webhookAttempt.entity.js';
import { WebhookDelivery } from '../domain/accounts/webhooks/webhookDelivery.entity.js';
import { WebhookEndpoint } from '../domain/accounts/webhooks/webhookEndpoint.entity.js';
import { WebhookSecret } from '../domain/accounts/webhooks/webhookSecret.entity.js';

/** All of our tables; each is described beside the code that owns it. */
export const entities = [
  AccessToken,
  Account,
  AccountClosing,
  AccountImport,
  AccountNote,
  Adjustment,
  Alert,
  ApiKey,
  ApiKeyDay,
  AuditEntry,
  BillingDetails,
  Brand,
  BrandLogo,
  BrandVersion,
  Caption,
  Backup,
  ClockMachine,
  Escrow,
  Event,
  EventCount,
  EventFact,
  Invoice,
  InvoiceCounter,
  LastingSecret,
  LedgerAccount,
  LedgerAudit,
  LedgerEntry,
  LedgerRule,
  LedgerSeal,
  LedgerSealNight,
  LedgerSealOwner,
  LedgerSealReconciliation,
  LedgerTx,
  LowBalance,
  MediaKey,
  Notice,
  NotificationChoice,
  Payer,
  Payment,
  PaymentDirectory,
  PaymentDispute,
  PaymentRefund,
  PaymentSandboxDispute,
  PaymentSandboxOrder,
  PaymentSandboxPayment,
  PaymentSandboxRefund,
  PaymentSandboxWebhook,
  PlatformDay,
  PlaybackDay,
  PlaybackHour,
  PlaybackMonth,
  PlaybackMonthState,
  PlaybackSalt,
  PlaybackSigningKey,
  PlaybackView,
  PlaybackVisitor,
  Processing,
  ProcessingChunk,
  ProcessingOutput,
  Quote,
  Referral,
  ReferralCode,
  ReferralInvitee,
  ReferralOutbox,
  RefundRequest,
  Rendition,
  RevokedQuota,
  ServiceClock,
  StaffDay,
  TestAccount,
  TestFault,
  StaffRequest,
  StaffView,
  StorageDay,
  StorageNight,
  StorageReversal,
  StorageReversedDay,
  AutomaticAllocation,
  StoredObject,
  SuspenseItem,
  TopUp,
  Upload,
  Video,
  VideoChange,
  VideoCount,
  DeletedWebhookEndpoint,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEvent,
  WebhookSecret,
];
