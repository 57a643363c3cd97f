import type { PlatformTotalsOfDay } from '../../../domain/operations/totals/platformTotals.service.js';
import type { PlatformDay } from '../types/supportTotals.js';

const MS_PER_MINUTE = 60_000;

export function platformDayView(totals: PlatformTotalsOfDay): PlatformDay {
  return {
    day: totals.day,
    accounts: totals.accounts,
    signUps: totals.signUps,
    creditsToppedUp: totals.toppedUpMicros,
    creditsSpent: totals.spentMicros,
    creditsRefunded: totals.refundedMicros,
    videosUploaded: totals.videosUploaded,
    videosReady: totals.videosReady,
    videosFailed: totals.videosFailed,
    minutesEncoded: totals.encodedMs / MS_PER_MINUTE,
    tokens: totals.tokens,
    views: totals.views,
    storedBytes: totals.storedBytes,
    isFinal: totals.isFinal,
    measuredAt: totals.measuredAt,
  };
}
