import { Migration0001Clock } from './0001_clock.js';
import { Migration0002Accounts } from './0002_accounts.js';
import { Migration0003Ledger } from './0003_ledger.js';
import { Migration0004Videos } from './0004_videos.js';
import { Migration0005Keys } from './0005_keys.js';
import { Migration0006AccountBirth } from './0006_account_birth.js';
import { Migration0007ProcessingOutput } from './0007_processing_output.js';
import { Migration0008UploadLeases } from './0008_upload_leases.js';
import { Migration0009SupportSearch } from './0009_support_search.js';
import { Migration0010SealedPartitions } from './0010_sealed_partitions.js';
import { Migration0011MeasuringRuns } from './0011_measuring_runs.js';
import { Migration0012QuotesOfVideo } from './0012_quotes_of_video.js';
import { Migration0013AlertsAndNotices } from './0013_alerts_and_notices.js';
import { Migration0014Payments } from './0014_payments.js';
import { Migration0015PaymentSandbox } from './0015_payment_sandbox.js';
import { Migration0016Referrals } from './0016_referrals.js';
import { Migration0017StorageNights } from './0017_storage_nights.js';
import { Migration0018Billing } from './0018_billing.js';
import { Migration0019SealsAndApprovals } from './0019_seals_and_approvals.js';
import { Migration0020PlaybackSites } from './0020_playback_sites.js';
import { Migration0021KeyDays } from './0021_key_days.js';
import { Migration0022TextTracks } from './0022_text_tracks.js';
import { Migration0023MediaKeys } from './0023_media_keys.js';
import { Migration0024EarlyPlay } from './0024_early_play.js';
import { Migration0025SoundTracks } from './0025_sound_tracks.js';
import { Migration0026Branding } from './0026_branding.js';
import { Migration0027PosterAndReceipt } from './0027_poster_and_receipt.js';
import { Migration0028ProcessingChunk } from './0028_processing_chunk.js';
import { Migration0030KeptBorders } from './0030_kept_borders.js';
import { Migration0032KeyFramesAndCaptionPurposes } from './0032_key_frames_and_caption_purposes.js';
import { Migration0033MultipartUploads } from './0033_multipart_uploads.js';
import { Migration0034AdoptedChunks } from './0034_adopted_chunks.js';
import { Migration0035FaultsInTime } from './0035_faults_in_time.js';
import { Migration0036BirthsAsOwner } from './0036_births_as_owner.js';
import { Migration0037LedgerRules } from './0037_ledger_rules.js';
import { Migration0039SealedNights } from './0039_sealed_nights.js';
import { Migration0040NightlyScope } from './0040_nightly_scope.js';
import { Migration0041ServiceClock } from './0041_service_clock.js';
import { Migration0042KeyDayAhead } from './0042_key_day_ahead.js';
import { Migration0043SealReconciliation } from './0043_seal_reconciliation.js';
import { Migration0044PostingTime } from './0044_posting_time.js';
import { Migration0045ContradictionsAndRedaction } from './0045_contradictions_and_redaction.js';
import { Migration0047RevokedQuota } from './0047_revoked_quota.js';
import { Migration0048StaffLimits } from './0048_staff_limits.js';
import { Migration0049UploadRoom } from './0049_upload_room.js';
import { Migration0051ReceiptsOfSound } from './0051_receipts_of_sound.js';
import { Migration0053StorageReversal } from './0053_storage_reversal.js';
import { Migration0057StaffRequests } from './0057_staff_requests.js';
import { Migration0058RedactionFloor } from './0058_redaction_floor.js';
import { Migration0059ForgottenVideos } from './0059_forgotten_videos.js';
import { Migration0065PlainWords } from './0065_plain_words.js';
import { Migration0066ListVersions } from './0066_list_versions.js';
import { Migration0075Events } from './0075_events.js';
import { Migration0085AccessTokens } from './0085_access_tokens.js';
import { Migration0090WebhookEndpoints } from './0090_webhook_endpoints.js';
import { Migration0091EventNumbers } from './0091_event_numbers.js';
import { Migration0092DisputesTold } from './0092_disputes_told.js';
import { Migration0093RecalledKeys } from './0093_recalled_keys.js';
import { Migration0094DeletedWebhookEndpoints } from './0094_deleted_webhook_endpoints.js';
import { Migration0098PlaybackViews } from './0098_playback_views.js';
import { Migration0108TrickPlay } from './0108_trick_play.js';
import { Migration0111Backups } from './0111_backups.js';
import { Migration0113AutomaticAllocation } from './0113_automatic_allocation.js';
import { Migration0114VideosWaitingForCredits } from './0114_videos_waiting_for_credits.js';
import { Migration0120TestAccounts } from './0120_test_accounts.js';
import { Migration0121TestFaults } from './0121_test_faults.js';
import { Migration0142Erasure } from './0142_erasure.js';
import { Migration0141Retention } from './0141_retention.js';
import { Migration0133StorageDraws } from './0133_storage_draws.js';
import { Migration0130VideoBin } from './0130_video_bin.js';
import { Migration0143VideoListFilters } from './0143_video_list_filters.js';
import { Migration0144VideoActivity } from './0144_video_activity.js';
import { Migration0125ExchangeTimes } from './0125_exchange_times.js';
import { Migration0145EmailKinds } from './0145_email_kinds.js';
import { Migration0146NotificationChoices } from './0146_notification_choices.js';
import { Migration0147PlaybackMonths } from './0147_playback_months.js';
import { Migration0150AccountImports } from './0150_account_imports.js';
import { Migration0148ForgottenTestVideos } from './0148_forgotten_test_videos.js';
import { Migration0159ClosingsInTurn } from './0159_closings_in_turn.js';
import { Migration0160ErasureOfOneAddress } from './0160_erasure_of_one_address.js';
import { Migration0161OneDataDownload } from './0161_one_data_download.js';
import { Migration0172FineStartups } from './0172_fine_startups.js';
import { Migration0156PlatformDays } from './0156_platform_days.js';
import { Migration0157RowsByDay } from './0157_rows_by_day.js';
import { Migration0158ViewsAndNotes } from './0158_views_and_notes.js';
import { Migration0166VideoChanges } from './0166_video_changes.js';
import { Migration0167EarlierVideoChanges } from './0167_earlier_video_changes.js';

/** Append-only: a migration that has landed is never edited. */
export const migrations = [
  Migration0001Clock,
  Migration0002Accounts,
  Migration0003Ledger,
  Migration0004Videos,
  Migration0005Keys,
  Migration0006AccountBirth,
  Migration0007ProcessingOutput,
  Migration0008UploadLeases,
  Migration0009SupportSearch,
  Migration0010SealedPartitions,
  Migration0011MeasuringRuns,
  Migration0012QuotesOfVideo,
  Migration0013AlertsAndNotices,
  Migration0014Payments,
  Migration0015PaymentSandbox,
  Migration0016Referrals,
  Migration0017StorageNights,
  Migration0018Billing,
  Migration0019SealsAndApprovals,
  Migration0020PlaybackSites,
  Migration0021KeyDays,
  Migration0022TextTracks,
  Migration0023MediaKeys,
  Migration0024EarlyPlay,
  Migration0025SoundTracks,
  Migration0026Branding,
  Migration0027PosterAndReceipt,
  Migration0028ProcessingChunk,
  Migration0030KeptBorders,
  Migration0032KeyFramesAndCaptionPurposes,
  Migration0033MultipartUploads,
  Migration0034AdoptedChunks,
  Migration0035FaultsInTime,
  Migration0036BirthsAsOwner,
  Migration0037LedgerRules,
  Migration0039SealedNights,
  Migration0040NightlyScope,
  Migration0041ServiceClock,
  Migration0042KeyDayAhead,
  Migration0043SealReconciliation,
  Migration0044PostingTime,
  Migration0045ContradictionsAndRedaction,
  Migration0047RevokedQuota,
  Migration0048StaffLimits,
  Migration0049UploadRoom,
  Migration0051ReceiptsOfSound,
  Migration0053StorageReversal,
  Migration0057StaffRequests,
  Migration0058RedactionFloor,
  Migration0059ForgottenVideos,
  Migration0065PlainWords,
  Migration0066ListVersions,
  Migration0075Events,
  Migration0085AccessTokens,
  Migration0090WebhookEndpoints,
  Migration0091EventNumbers,
  Migration0092DisputesTold,
  Migration0093RecalledKeys,
  Migration0094DeletedWebhookEndpoints,
  Migration0098PlaybackViews,
  Migration0108TrickPlay,
  Migration0111Backups,
  Migration0113AutomaticAllocation,
  Migration0114VideosWaitingForCredits,
  Migration0120TestAccounts,
  Migration0121TestFaults,
  Migration0133StorageDraws,
  Migration0130VideoBin,
  Migration0143VideoListFilters,
  Migration0144VideoActivity,
  Migration0125ExchangeTimes,
  Migration0141Retention,
  Migration0145EmailKinds,
  Migration0146NotificationChoices,
  Migration0147PlaybackMonths,
  Migration0150AccountImports,
  Migration0148ForgottenTestVideos,
  Migration0142Erasure,
  Migration0159ClosingsInTurn,
  Migration0160ErasureOfOneAddress,
  Migration0161OneDataDownload,
  Migration0156PlatformDays,
  Migration0157RowsByDay,
  Migration0158ViewsAndNotes,
  Migration0172FineStartups,
  Migration0166VideoChanges,
  Migration0167EarlierVideoChanges,
];
