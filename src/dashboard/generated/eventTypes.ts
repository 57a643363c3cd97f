// Written by `npm run events` from the event types. Do not edit.
/** As in payloads, by their names in GraphQL. */
export const EVENT_TYPES = {
  VIDEO_UPLOADED: 'video.uploaded',
  VIDEO_PLAYABLE: 'video.playable',
  VIDEO_READY: 'video.ready',
  VIDEO_FAILED: 'video.failed',
  VIDEO_DELETED: 'video.deleted',
  VIDEO_RESTORED: 'video.restored',
  WALLET_LOW: 'wallet.low',
  WALLET_RUNWAY_SHORT: 'wallet.runway_short',
  TOPUP_CREDITED: 'topup.credited',
  REFUND_BOOKED: 'refund.booked',
  DISPUTE_OPENED: 'dispute.opened',
  REFERRAL_REWARDED: 'referral.rewarded',
  REFERRAL_REVERSED: 'referral.reversed',
  STORAGE_ARREARS: 'storage.arrears',
  KEY_CREATED: 'key.created',
  KEY_REVOKED: 'key.revoked',
  QUOTA_WARNING: 'quota.warning',
  QUOTA_REACHED: 'quota.reached',
  QUOTA_CHANGED: 'quota.changed',
} as const;
