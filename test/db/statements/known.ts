/** Differences that are right, by their lines in the report, and why. */
export const KNOWN: readonly { readonly lines: RegExp; readonly why: string }[] = [
  {
    lines: / moved-fetch-\w+: row: /,
    why: 'the rows are those of the cursor, which is not open here',
  },
  {
    lines: / ledger-walk-\w+: parameter (accountNos|types|reference|amountMicros): declared, but not used$/,
    why: 'five walks take the same, so that the caller need not know which one it is',
  },
  {
    lines:
      / (event-(oldest|newest)-first: column seq|leftovers-removed-objects: column removed_at|admission-attempt: column source_probe|published-preview: column prefix|measure-begin: column source_key|test-fact-money: column created_at|webhook-attempt-failure: column disabled_reason|doctor-clock-held: column why): .* can be null$/,
    why: 'the statement says `is not null` of this column, or of one that is set with it',
  },
  {
    lines:
      / (video-forget(-tests)?: column deleted_at|brand-gone: column deleted_at|leftovers-due-outputs: column sweep_after|bin-page: column (deleted_at|purge_after)|ledger-video-costs: column video_id|invoice-paid-refunds: column topup_id|queue-live-measures: column id): .* can be null$/,
    why: 'the statement compares the column with a value, which null does not pass; a video in the bin has both times',
  },
  {
    lines: / webhook-attempt-failure: column disabled_at: .* can be null$/,
    why: 'has a time because it has a reason, in the same update',
  },
  {
    lines: / (attempt-start-video|chunk-claim-next): column (source_key|source_probe): .* can be null$/,
    why: 'a video is bought after it was measured, and keeps its source',
  },
  { lines: / chunk-facts: column facts: .* can be null$/, why: 'a chunk is done with its facts, in one update' },
  {
    lines: / (upload-find|upload-idle|doctor-open-uploads): column size_bytes: .* can be null$/,
    why: 'every upload begins with its size',
  },
  {
    lines: / test-fact-money: column fact: declared MoneyFact, /,
    why: 'the statement asks for the facts about money alone',
  },
  {
    lines: / notice-also-due: column data: .* can be null$/,
    why: 'an email with a kind has data',
  },
  {
    lines: / (video-list-of-\w+|video-get|playback-video)\S*: column \w+: .* there may be no video$/,
    why: 'a row without a video says that there is none: its reader looks at the id first',
  },
  {
    lines: / signing-key-load: column \w+: .* there may be no playback_signing_key$/,
    why: 'a row without a key tells the time: its reader looks at the key’s id first',
  },
  {
    lines: / video-list-\S+: column version: .* there may be no video_count$/,
    why: 'an account has its counters from the beginning; the join is outer for the plan',
  },
];
