import type { StorageDay as ChargedDay, StorageOverview } from '../../../domain/payments/storage/storage.service.js';
import type { Storage, StorageDay } from '../types/storage.js';

/**
 * Runway is capped: storing a few bytes is paid for thousands of years, which means nothing to people and may overflow
 * the type.
 */
const MAX_RUNWAY_DAYS = 36_500n;

export function storageView(accountId: string, overview: StorageOverview): Storage {
  const { runwayDays } = overview;
  return {
    accountId,
    bytes: Number(overview.bytes),
    creditsPerDay: overview.perDayMicros,
    runwayDays: runwayDays === null ? null : Number(runwayDays < MAX_RUNWAY_DAYS ? runwayDays : MAX_RUNWAY_DAYS),
    autoAllocate: overview.autoAllocate,
  };
}

export function storageDayView(day: ChargedDay): StorageDay {
  return {
    day: day.day,
    bytes: Number(day.bytes),
    charged: day.chargedMicros,
    fromCloud: day.fromCloudMicros,
    fromMaster: day.fromMasterMicros,
    arrears: day.arrearsMicros,
  };
}
