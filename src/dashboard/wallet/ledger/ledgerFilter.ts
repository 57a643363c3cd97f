import type { LedgerAccount, LedgerEntryType, LedgerFilterInput } from '../../generated/graphql.js';
import { toCredits, toMicros } from '../../lib/credits.js';
import { dayIn, momentOf } from '../../lib/localDays.js';
import { ACCOUNT, ENTRY } from '../words.js';

/** The ledger's filters, as in the address; empty if unset. */
export interface LedgerNarrowing {
  readonly bucket: LedgerAccount | '';
  readonly type: LedgerEntryType | '';
  /** `YYYY-MM-DD`, in the reader's own time zone; both days are included. */
  readonly from: string;
  readonly to: string;
  /** vid_… */
  readonly video: string;
  /** As it was typed. */
  readonly amount: string;
}

export function narrowingIn(search: URLSearchParams): LedgerNarrowing {
  const bucket = search.get('bucket') ?? '';
  const type = search.get('type') ?? '';
  return {
    bucket: bucket in ACCOUNT ? (bucket as LedgerAccount) : '',
    type: type in ENTRY ? (type as LedgerEntryType) : '',
    from: dayIn(search, 'from'),
    to: dayIn(search, 'to'),
    video: search.get('video') ?? '',
    amount: search.get('amount') ?? '',
  };
}

/** The largest amount of the service: PostgreSQL's bigint. */
const MAX_MICROS = 2n ** 63n - 1n;

/** Parses a typed or copied amount such as "+1,000.50", without its sign; undefined if invalid. */
export function amountOf(typed: string): string | undefined {
  const micros = toMicros(
    typed
      .trim()
      .replace(/^[+−-]/, '')
      .replaceAll(',', ''),
  );
  return micros === undefined || micros <= 0n || micros > MAX_MICROS ? undefined : toCredits(micros);
}

export function isNarrowed({ bucket, type, from, to, video, amount }: LedgerNarrowing): boolean {
  return [bucket, type, from, to, video, amount].some((value) => value !== '');
}

/** As the service expects it: from the beginning of the first day to the beginning of the day after the last. */
export function filterOf({ bucket, type, from, to, video, amount: typed }: LedgerNarrowing): LedgerFilterInput {
  const amount = amountOf(typed);
  return {
    ...(bucket ? { accounts: [bucket] } : {}),
    ...(type ? { types: [type] } : {}),
    ...(from ? { from: momentOf(from, 0) } : {}),
    ...(to ? { to: momentOf(to, 1) } : {}),
    ...(video ? { videoId: video } : {}),
    ...(amount ? { amount } : {}),
  };
}

/** The same entries as a file. */
export function csvAddress(narrowing: LedgerNarrowing): string {
  const { accounts, types, from, to, videoId, amount } = filterOf(narrowing);
  const wanted = { bucket: accounts, type: types, from, to, video: videoId, amount };
  const given = Object.entries(wanted).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  return `/documents/ledger.csv${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`;
}
