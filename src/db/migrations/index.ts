import { Migration0059BaselineAccounts } from './0059_baseline_accounts.js';
import { Migration0060BaselineLedger } from './0060_baseline_ledger.js';
import { Migration0061BaselineVideos } from './0061_baseline_videos.js';
import { Migration0062BaselineProcessing } from './0062_baseline_processing.js';
import { Migration0063BaselinePayments } from './0063_baseline_payments.js';
import { Migration0064BaselineBilling } from './0064_baseline_billing.js';
import { Migration0065BaselineStaff } from './0065_baseline_staff.js';
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
import { Migration0170TestFacts } from './0170_test_facts.js';
import { Migration0171TestFactsChecked } from './0171_test_facts_checked.js';
import { Migration0173ForgottenTestActivity } from './0173_forgotten_test_activity.js';
import { Migration0188LastFailedAttempts } from './0188_last_failed_attempts.js';
import { Migration0190TestClocks } from './0190_test_clocks.js';
import { Migration0191LedgerEntriesByAmount } from './0191_ledger_entries_by_amount.js';
import { Migration0193OwedAfterErasure } from './0193_owed_after_erasure.js';
import { Migration0195OwedBefore } from './0195_owed_before.js';
import { Migration0196LowBalances } from './0196_low_balances.js';
import { Migration0197LowBalancesBefore } from './0197_low_balances_before.js';
import { Migration0198RisesAreNotTold } from './0198_rises_are_not_told.js';
import { Migration0215TestVideos } from './0215_test_videos.js';
import { Migration0216ChoresByTime } from './0216_chores_by_time.js';
import { Migration0217LowBalancePlans } from './0217_low_balance_plans.js';

/** The schema that the migrations up to 0065 made one by one. `db/baseline.ts` knows the databases that ran those. */
export const baseline = [
  Migration0059BaselineAccounts,
  Migration0060BaselineLedger,
  Migration0061BaselineVideos,
  Migration0062BaselineProcessing,
  Migration0063BaselinePayments,
  Migration0064BaselineBilling,
  Migration0065BaselineStaff,
];

/** Append-only: a migration that has landed is never edited. */
export const migrations = [
  ...baseline,
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
  Migration0170TestFacts,
  Migration0171TestFactsChecked,
  Migration0173ForgottenTestActivity,
  Migration0188LastFailedAttempts,
  Migration0190TestClocks,
  Migration0191LedgerEntriesByAmount,
  Migration0193OwedAfterErasure,
  Migration0195OwedBefore,
  Migration0196LowBalances,
  Migration0197LowBalancesBefore,
  Migration0198RisesAreNotTold,
  Migration0215TestVideos,
  Migration0216ChoresByTime,
  Migration0217LowBalancePlans,
];
