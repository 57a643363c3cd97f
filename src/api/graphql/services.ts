import type { AccessTokenService } from '../../domain/accounts/accessTokens/accessTokens.service.js';
import type { AccountService } from '../../domain/accounts/account.service.js';
import type { AlertService } from '../../domain/shared/alerts/alert.service.js';
import type { BillingDetailsService } from '../../domain/payments/billing/billingDetails.service.js';
import type { InvoiceService } from '../../domain/payments/billing/invoice.service.js';
import type { LowBalanceService } from '../../domain/payments/billing/lowBalance.service.js';
import type { StatementService } from '../../domain/payments/billing/statement.service.js';
import type { BrandService } from '../../domain/media/branding/brand.service.js';
import type { CaptionService } from '../../domain/media/captions/caption.service.js';
import type { KeyService } from '../../domain/accounts/keys/keys.service.js';
import type { RefundService } from '../../domain/payments/refunds/refund.service.js';
import type { SupportPayments } from '../../domain/payments/support/supportPayments.service.js';
import type { TopUpService } from '../../domain/payments/topUps/topUp.service.js';
import type { PosterService } from '../../domain/media/posters/poster.service.js';
import type { ProcessingService } from '../../domain/media/pipeline/processing.service.js';
import type { ReferralService } from '../../domain/payments/referrals/referral.service.js';
import type { LedgerAudit } from '../../domain/ledger/seals/ledgerAudit.js';
import type { StorageService } from '../../domain/payments/storage/storage.service.js';
import type { AdjustmentService } from '../../domain/operations/support/adjustment.service.js';
import type { FailedVideoService } from '../../domain/operations/support/failedVideos.js';
import type { StaffRequestService } from '../../domain/operations/support/staffRequest.service.js';
import type { SupportService } from '../../domain/operations/support/support.service.js';
import type { VideoService } from '../../domain/media/library/video.service.js';
import type { VideoPartsService } from '../../domain/media/library/videoParts.js';
import type { AnalyticsService } from '../../domain/playback/analytics/analytics.service.js';
import type { WalletService } from '../../domain/ledger/wallet.service.js';
import type { WebhookService } from '../../domain/accounts/webhooks/webhooks.service.js';
import type { EventLog } from '../../domain/shared/events/eventLog.js';
import type { LiveEvents } from '../../ports/events.js';

/** Creates tokens for watching one's own videos; they count against no key. */
export interface PreviewTokens {
  /** @throws VIDEO_NOT_FOUND, VIDEO_NOT_READY, ACCOUNT_SUSPENDED */
  previewToken(accountId: string, videoId: string): Promise<{ token: string; expiresAt: Date }>;
}

export interface GraphqlServices {
  readonly videos: VideoService;
  readonly videoParts: VideoPartsService;
  readonly captions: CaptionService;
  readonly brands: Pick<BrandService, 'current' | 'place' | 'remove'>;
  readonly posters: Pick<PosterService, 'takeMoment' | 'leave'>;
  readonly processing: ProcessingService;
  readonly playback: PreviewTokens;
  readonly analytics: Pick<AnalyticsService, 'analytics' | 'topVideos' | 'recentViews'>;
  readonly accounts: AccountService;
  readonly wallet: WalletService;
  readonly keys: KeyService;
  readonly accessTokens: Pick<AccessTokenService, 'create' | 'list' | 'revoke'>;
  readonly statements: Pick<StatementService, 'months'>;
  readonly billingDetails: BillingDetailsService;
  readonly invoices: Pick<InvoiceService, 'creditNotes'>;
  readonly lowBalance: Pick<LowBalanceService, 'thresholdMicros' | 'setThreshold'>;
  readonly referrals: ReferralService;
  readonly storage: Pick<StorageService, 'overview' | 'history' | 'setRule'>;
  readonly support: SupportService;
  readonly topUps: TopUpService;
  readonly refunds: Pick<RefundService, 'requestRefund' | 'refundByStaff'>;
  readonly supportPayments: SupportPayments;
  readonly adjustments: AdjustmentService;
  readonly staffRequests: StaffRequestService;
  readonly failedVideos: FailedVideoService;
  readonly alerts: Pick<AlertService, 'list' | 'resolve'>;
  readonly ledgerAudit: Pick<LedgerAudit, 'health'>;
  readonly eventLog: Pick<EventLog, 'page' | 'find' | 'newestCursor'>;
  readonly webhooks: WebhookService;
  readonly events: LiveEvents;
}
