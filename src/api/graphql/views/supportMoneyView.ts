import type { Alert as AlertRecord } from '../../../domain/shared/alerts/alert.service.js';
import { videoIdOf } from '../../../domain/shared/ids.js';
import type { LedgerHealth as LedgerHealthRecord } from '../../../domain/ledger/seals/ledgerAudit.js';
import type { Adjustment } from '../../../domain/operations/support/adjustment.js';
import type { FailedVideo as FailedVideoRecord } from '../../../domain/operations/support/failedVideos.js';
import type { AdjustmentRequest, AdjustmentStatus, Alert, FailedVideo, LedgerHealth } from '../types/supportMoney.js';

export function adjustmentRequestView(adjustment: Adjustment): AdjustmentRequest {
  return {
    id: adjustment.id,
    accountId: adjustment.accountId,
    amount: adjustment.amountMicros,
    reason: adjustment.reason,
    // Adjustments that one person may make alone are never shown as requests.
    status: adjustment.status as AdjustmentStatus,
    requestedBy: adjustment.requestedBy,
    requestedByEmail: adjustment.requestedByEmail,
    requestedAt: adjustment.requestedAt,
    expiresAt: adjustment.expiresAt,
    decidedBy: adjustment.decidedBy,
    decidedByEmail: adjustment.decidedByEmail,
    decidedAt: adjustment.decidedAt,
    decisionReason: adjustment.decisionReason,
  };
}

export function alertView(alert: AlertRecord): Alert {
  return {
    id: alert.id,
    kind: alert.kind,
    subject: alert.subject,
    message: alert.message,
    accountId: alert.accountId,
    times: alert.times,
    raisedAt: alert.raisedAt,
    lastRaisedAt: alert.lastRaisedAt,
    resolvedAt: alert.resolvedAt,
  };
}

export function ledgerHealthView({ lastSeal, lastVerifiedAt, faults, firstFault }: LedgerHealthRecord): LedgerHealth {
  return {
    lastSeal: lastSeal && {
      blockNo: lastSeal.blockNo,
      digest: lastSeal.digest,
      sealedAt: new Date(lastSeal.sealedAt),
      owners: lastSeal.owners,
      entries: lastSeal.entries,
    },
    lastVerifiedAt,
    faults,
    firstFault,
  };
}

export function failedVideoView(video: FailedVideoRecord): FailedVideo {
  return {
    accountId: video.accountId,
    videoId: videoIdOf(video.videoId),
    title: video.title,
    attempt: video.attempt,
    failureCode: video.failureCode,
    failureMessage: video.failureMessage,
    failedAt: video.failedAt,
  };
}
