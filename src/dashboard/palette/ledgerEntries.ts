import { words } from '#words/palette.js';
import { microsOf, showCredits, toCredits } from '../lib/credits.js';
import { showDay } from '../lib/format.js';
import { dayHere } from '../lib/localDays.js';
import type { LedgerEntryType, PaletteLedgerQuery } from '../generated/graphql.js';
import { amountOf } from '../wallet/ledger/ledgerFilter.js';
import { ENTRY } from '../wallet/words.js';
import { beginsAny, type Entry } from './entry.js';

type Line = PaletteLedgerQuery['wallet']['entries']['edges'][number]['node'];

/** The kinds of entries that a typed word names: the service then searches the newest of these, however old they are. */
export function kindsIn(text: string): LedgerEntryType[] {
  return (Object.keys(ENTRY) as LedgerEntryType[]).filter((type) => beginsAny(ENTRY[type], text));
}

/** The first amount in a text, which the service then searches in the whole ledger, and the words beside it. */
export function amountIn(text: string): { readonly amount: string; readonly others: string } | undefined {
  const words = text.split(/\s+/);
  for (const [at, word] of words.entries()) {
    const amount = amountOf(word);
    if (amount !== undefined) return { amount, others: words.toSpliced(at, 1).join(' ') };
  }
  return undefined;
}

type Narrowing = Readonly<Record<string, string>>;

/** Leads on where the palette has searched the newest entries only: the ledger has filters for all of them. */
export function allEntries(narrowing: Narrowing, searched: number): Entry {
  return inLedger(narrowing, words.olderEntries, words.newestSearched(searched));
}

/** Leads on where the palette has found more entries of an amount than it shows. */
export function allOfAmount(narrowing: Narrowing, amount: string, shown: number): Entry {
  return inLedger({ ...narrowing, amount }, words.allOfAmount(showCredits(amount)), words.newestShown(shown));
}

function inLedger(narrowing: Narrowing, label: string, detail: string): Entry {
  const filter = new URLSearchParams(narrowing).toString();
  return { to: filter === '' ? '/wallet/ledger' : `/wallet/ledger?${filter}`, label, detail, icon: 'wallet' };
}

/** Ledger entries as the palette lists them, one per transaction: its kind, amount, video and day can be typed. */
export function ledgerEntries(lines: readonly Line[]): Entry[] {
  const first = new Map<string, Line>();
  for (const line of lines) if (!first.has(line.transactionId)) first.set(line.transactionId, line);
  return [...first.values()].map(({ transactionId, type, amount, createdAt, cause }) => {
    const video = cause?.__typename === 'VideoCause' ? cause : null;
    const micros = microsOf(amount);
    const credits = showCredits(toCredits(micros < 0n ? -micros : micros));
    const day = dayHere(new Date(createdAt));
    const narrowing = { type, from: day, to: day, ...(video && { video: video.videoId }) };
    return {
      // The transaction tells entries of the same day apart.
      to: `/wallet/ledger?${new URLSearchParams(narrowing)}#${transactionId}`,
      label: words.ledgerEntry(ENTRY[type], credits, video?.title ?? undefined),
      detail: showDay(createdAt),
      icon: 'wallet',
    };
  });
}
