/** Written by `npm run events` from the event types. */

/** An event of the event log, as webhooks deliver it. `type` says what `data` contains. */
export type DharaEvent =
  | VideoUploadedEvent
  | VideoPlayableEvent
  | VideoReadyEvent
  | VideoFailedEvent
  | VideoDeletedEvent
  | VideoRestoredEvent
  | WalletLowEvent
  | WalletRunwayShortEvent
  | TopupCreditedEvent
  | RefundBookedEvent
  | DisputeOpenedEvent
  | ReferralRewardedEvent
  | ReferralReversedEvent
  | StorageArrearsEvent
  | KeyCreatedEvent
  | KeyRevokedEvent
  | QuotaWarningEvent
  | QuotaReachedEvent
  | QuotaChangedEvent;

export type EventType = DharaEvent['type'];

/** The last byte of a source has arrived. */
export interface VideoUploadedEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'video.uploaded';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly videoId: string;
    /** The same video, as a UUID. */
    readonly uuid: string;
    readonly title: string;
    readonly status: 'awaiting_upload' | 'uploading' | 'uploaded' | 'queued' | 'processing' | 'ready' | 'failed';
    /** The fields that the owner added to the video. */
    readonly metadata: Readonly<Record<string, string>>;
    /** `null` until the file is measured. */
    readonly durationSeconds: number | null;
    /** The qualities that play, the best first. */
    readonly playableRungs: readonly ('audio' | '360p' | '432p' | '480p' | '720p' | '1080p' | '1440p' | '2160p')[];
    /** Why the video failed, or has fewer renditions than were bought. */
    readonly failure: {
      readonly code: string;
      readonly message: string;
    } | null;
  };
}

/** The first renditions of a video play. Others may still be encoded. */
export interface VideoPlayableEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'video.playable';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly videoId: string;
    /** The same video, as a UUID. */
    readonly uuid: string;
    readonly title: string;
    readonly status: 'awaiting_upload' | 'uploading' | 'uploaded' | 'queued' | 'processing' | 'ready' | 'failed';
    /** The fields that the owner added to the video. */
    readonly metadata: Readonly<Record<string, string>>;
    /** `null` until the file is measured. */
    readonly durationSeconds: number | null;
    /** The qualities that play, the best first. */
    readonly playableRungs: readonly ('audio' | '360p' | '432p' | '480p' | '720p' | '1080p' | '1440p' | '2160p')[];
    /** Why the video failed, or has fewer renditions than were bought. */
    readonly failure: {
      readonly code: string;
      readonly message: string;
    } | null;
  };
}

/** Processing has ended, and the video plays. */
export interface VideoReadyEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'video.ready';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly videoId: string;
    /** The same video, as a UUID. */
    readonly uuid: string;
    readonly title: string;
    readonly status: 'awaiting_upload' | 'uploading' | 'uploaded' | 'queued' | 'processing' | 'ready' | 'failed';
    /** The fields that the owner added to the video. */
    readonly metadata: Readonly<Record<string, string>>;
    /** `null` until the file is measured. */
    readonly durationSeconds: number | null;
    /** The qualities that play, the best first. */
    readonly playableRungs: readonly ('audio' | '360p' | '432p' | '480p' | '720p' | '1080p' | '1440p' | '2160p')[];
    /** Why the video failed, or has fewer renditions than were bought. */
    readonly failure: {
      readonly code: string;
      readonly message: string;
    } | null;
  };
}

/** The file could not be used, or processing failed. Nothing was charged. */
export interface VideoFailedEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'video.failed';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly videoId: string;
    /** The same video, as a UUID. */
    readonly uuid: string;
    readonly title: string;
    readonly status: 'awaiting_upload' | 'uploading' | 'uploaded' | 'queued' | 'processing' | 'ready' | 'failed';
    /** The fields that the owner added to the video. */
    readonly metadata: Readonly<Record<string, string>>;
    /** `null` until the file is measured. */
    readonly durationSeconds: number | null;
    /** The qualities that play, the best first. */
    readonly playableRungs: readonly ('audio' | '360p' | '432p' | '480p' | '720p' | '1080p' | '1440p' | '2160p')[];
    /** Why the video failed, or has fewer renditions than were bought. */
    readonly failure: {
      readonly code: string;
      readonly message: string;
    } | null;
  };
}

/** A video was deleted: the API no longer knows it. It may still be in the bin, and `video.restored` follows if its owner restores it. */
export interface VideoDeletedEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'video.deleted';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly videoId: string;
    /** The same video, as a UUID. */
    readonly uuid: string;
    readonly title: string;
    readonly status: 'awaiting_upload' | 'uploading' | 'uploaded' | 'queued' | 'processing' | 'ready' | 'failed';
    /** The fields that the owner added to the video. */
    readonly metadata: Readonly<Record<string, string>>;
    /** `null` until the file is measured. */
    readonly durationSeconds: number | null;
    /** The qualities that play, the best first. */
    readonly playableRungs: readonly ('audio' | '360p' | '432p' | '480p' | '720p' | '1080p' | '1440p' | '2160p')[];
    /** Why the video failed, or has fewer renditions than were bought. */
    readonly failure: {
      readonly code: string;
      readonly message: string;
    } | null;
  };
}

/** A video was restored from the bin. The API knows it again, as `status` and `playableRungs` say. */
export interface VideoRestoredEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'video.restored';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly videoId: string;
    /** The same video, as a UUID. */
    readonly uuid: string;
    readonly title: string;
    readonly status: 'awaiting_upload' | 'uploading' | 'uploaded' | 'queued' | 'processing' | 'ready' | 'failed';
    /** The fields that the owner added to the video. */
    readonly metadata: Readonly<Record<string, string>>;
    /** `null` until the file is measured. */
    readonly durationSeconds: number | null;
    /** The qualities that play, the best first. */
    readonly playableRungs: readonly ('audio' | '360p' | '432p' | '480p' | '720p' | '1080p' | '1440p' | '2160p')[];
    /** Why the video failed, or has fewer renditions than were bought. */
    readonly failure: {
      readonly code: string;
      readonly message: string;
    } | null;
  };
}

/** The balance is below the alert threshold of the wallet. Once for each fall. */
export interface WalletLowEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'wallet.low';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    /** Credits, as a decimal string. */
    readonly balance: string;
    /** Credits, as a decimal string. */
    readonly threshold: string;
  };
}

/** The credits for storage last for less than a week. At most once a week. */
export interface WalletRunwayShortEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'wallet.runway_short';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    /** A UTC day. */
    readonly day: string;
    /** Bytes of stored videos, as a decimal string. */
    readonly storedBytes: string;
    readonly daysLeft: number;
  };
}

/** A top-up was paid, and its credits are in the wallet. */
export interface TopupCreditedEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'topup.credited';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly topUpId: string;
    /** The payment provider. */
    readonly provider: string;
    /** Credits, as a decimal string. */
    readonly amount: string;
  };
}

/** A refund of a top-up was taken from the wallet. */
export interface RefundBookedEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'refund.booked';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly topUpId: string;
    /** The payment provider. */
    readonly provider: string;
    readonly refundId: string;
    /** Credits, as a decimal string. */
    readonly amount: string;
  };
}

/** A payer disputes a top-up at the provider. */
export interface DisputeOpenedEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'dispute.opened';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly topUpId: string;
    /** The payment provider. */
    readonly provider: string;
    readonly disputeId: string;
    /** Credits, as a decimal string. */
    readonly amount: string;
  };
}

/** A referral bonus was booked. */
export interface ReferralRewardedEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'referral.rewarded';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    /** Whether this account was invited, or invited another. */
    readonly side: 'invitee' | 'referrer';
    /** Credits, as a decimal string. */
    readonly amount: string;
  };
}

/** A referral bonus was clawed back. */
export interface ReferralReversedEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'referral.reversed';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    /** Whether this account was invited, or invited another. */
    readonly side: 'invitee' | 'referrer';
    /** Credits, as a decimal string. */
    readonly amount: string;
  };
}

/** The wallet could not pay for the storage of a day. The unpaid amount became debt. */
export interface StorageArrearsEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'storage.arrears';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    /** A UTC day. */
    readonly day: string;
    /** Bytes of stored videos, as a decimal string. */
    readonly storedBytes: string;
    /** Credits, as a decimal string. */
    readonly amount: string;
  };
}

/** An API key was created. */
export interface KeyCreatedEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'key.created';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly keyId: string;
    readonly name: string;
    /** The first 12 characters of the key. */
    readonly prefix: string;
    /** The last 4 characters of the key. */
    readonly last4: string;
  };
}

/** An API key was revoked. */
export interface KeyRevokedEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'key.revoked';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly keyId: string;
    readonly name: string;
    /** The first 12 characters of the key. */
    readonly prefix: string;
    /** The last 4 characters of the key. */
    readonly last4: string;
  };
}

/** A key has used 80% of its daily quota. Once a day, and again if support changes the quota. */
export interface QuotaWarningEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'quota.warning';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly keyId: string;
    readonly name: string;
    /** A UTC day. */
    readonly day: string;
    /** Playback tokens per UTC day. */
    readonly dailyQuota: number;
    /** Playback tokens created on this day, until now. */
    readonly used: number;
  };
}

/** A key has used up its daily quota, and creates no tokens until midnight UTC. Once a day, and again if support changes the quota. */
export interface QuotaReachedEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'quota.reached';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly keyId: string;
    readonly name: string;
    /** A UTC day. */
    readonly day: string;
    /** Playback tokens per UTC day. */
    readonly dailyQuota: number;
    /** Playback tokens created on this day, until now. */
    readonly used: number;
  };
}

/** Support changed the daily quota of a key. */
export interface QuotaChangedEvent {
  /** The same however often the event is delivered. */
  readonly id: string;
  readonly type: 'quota.changed';
  /** The version of `data`. */
  readonly version: 1;
  /** When it happened. */
  readonly timestamp: string;
  /** False for what happened in test mode. */
  readonly livemode: boolean;
  readonly data: {
    readonly keyId: string;
    readonly name: string;
    readonly previousQuota: number;
    readonly dailyQuota: number;
  };
}
