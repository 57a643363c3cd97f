import type { AccountService } from '../domain/accounts/account.service.js';
import type { AlertService } from '../domain/alerts/alert.service.js';
import type { BillingDetailsService } from '../domain/billing/billingDetails.service.js';
import type { InvoiceService } from '../domain/billing/invoice.service.js';
import type { LowBalanceService } from '../domain/billing/lowBalance.service.js';
import type { StatementService } from '../domain/billing/statement.service.js';
import type { BrandService } from '../domain/branding/brand.service.js';
import type { CaptionService } from '../domain/captions/caption.service.js';
import type { KeyService } from '../domain/keys/keys.service.js';
import type { RefundService } from '../domain/payments/refund.service.js';
import type { SupportPayments } from '../domain/payments/supportPayments.service.js';
import type { TopUpService } from '../domain/payments/topUp.service.js';
import type { PosterService } from '../domain/posters/poster.service.js';
import type { ProcessingService } from '../domain/processing/processing.service.js';
import type { ReferralService } from '../domain/referrals/referral.service.js';
import type { LedgerAudit } from '../domain/seals/ledgerAudit.js';
import type { StorageService } from '../domain/storage/storage.service.js';
import type { AdjustmentService } from '../domain/support/adjustment.service.js';
import type { FailedVideoService } from '../domain/support/failedVideos.js';
import type { StaffRequestService } from '../domain/support/staffRequest.service.js';
import type { SupportService } from '../domain/support/support.service.js';
import type { VideoService } from '../domain/videos/video.service.js';
import type { VideoPartsService } from '../domain/videos/videoParts.js';
import type { WalletService } from '../domain/wallet/wallet.service.js';
import type { LiveEvents } from '../ports/events.js';

/** A token for watching an own video; it counts against no key. */
export interface PreviewTokens {
  /** @throws VIDEO_NOT_FOUND, VIDEO_NOT_READY, ACCOUNT_SUSPENDED */
  previewToken(accountId: string, videoId: string): Promise<{ token: string; expiresAt: Date }>;
}

/** The services that resolvers call. */
export interface GraphqlServices {
  readonly videos: VideoService;
  readonly videoParts: VideoPartsService;
  readonly captions: CaptionService;
  readonly brands: Pick<BrandService, 'current' | 'place' | 'remove'>;
  readonly posters: Pick<PosterService, 'takeMoment' | 'leave'>;
  readonly processing: ProcessingService;
  readonly playback: PreviewTokens;
  readonly accounts: AccountService;
  readonly wallet: WalletService;
  readonly keys: KeyService;
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
  readonly events: LiveEvents;
}
