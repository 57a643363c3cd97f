import { words } from '#words/supportTotals.js';
import type { StaffTotalsQuery } from '../../generated/graphql.js';
import { microsOf, showCredits, toCredits, toHundredths } from '../../lib/credits.js';
import { showBytes, showCompact, showNumber } from '../../lib/format.js';

export type TotalsDay = StaffTotalsQuery['platformTotals'][number];
export type FigureName = keyof typeof words.columns;

/** One number of a day: for people, for a height, and for a file. */
interface Figure {
  readonly name: FigureName;
  /** It is a state at the end of the day, not what happened on it. */
  readonly isState?: boolean;
  /** Undefined if it is not known yet. */
  readonly height: (day: TotalsDay) => number | undefined;
  readonly text: (day: TotalsDay) => string;
  readonly tick: (height: number) => string;
  /** Exact, without units. */
  readonly raw: (day: TotalsDay) => string;
}

type Counted = 'accounts' | 'signUps' | 'videosUploaded' | 'videosReady' | 'videosFailed' | 'tokens' | 'views';
type Money = 'creditsToppedUp' | 'creditsSpent' | 'creditsRefunded';

function count(name: Counted, isState = false): Figure {
  return {
    name,
    isState,
    height: (day) => day[name],
    text: (day) => showNumber(day[name]),
    tick: showCompact,
    raw: (day) => String(day[name]),
  };
}

function credits(name: Money): Figure {
  return {
    name,
    height: (day) => Number(microsOf(day[name])),
    text: (day) => showCredits(toHundredths(day[name])),
    tick: (micros) => showCompact(Number(toCredits(BigInt(Math.round(micros))))).replace('-', '−'),
    raw: (day) => day[name],
  };
}

const MINUTES: Figure = {
  name: 'minutesEncoded',
  height: (day) => day.minutesEncoded,
  text: (day) => showNumber(Math.round(day.minutesEncoded)),
  tick: showCompact,
  raw: (day) => day.minutesEncoded.toFixed(3),
};

const STORED: Figure = {
  name: 'storedBytes',
  isState: true,
  height: (day) => day.storedBytes ?? undefined,
  text: (day) => (day.storedBytes === null ? words.notMeasured : showBytes(day.storedBytes)),
  tick: showBytes,
  raw: (day) => (day.storedBytes === null ? '' : String(day.storedBytes)),
};

export const FIGURES: readonly Figure[] = [
  count('accounts', true),
  count('signUps'),
  credits('creditsToppedUp'),
  credits('creditsSpent'),
  credits('creditsRefunded'),
  count('videosUploaded'),
  count('videosReady'),
  count('videosFailed'),
  MINUTES,
  count('tokens'),
  count('views'),
  STORED,
];

/** A line per day, oldest first. Values have no commas or quotes. */
export function csvOf(days: readonly TotalsDay[]): string {
  const head = ['day', ...FIGURES.map(({ name }) => name)];
  const lines = days.map((day) => [day.day, ...FIGURES.map(({ raw }) => raw(day))]);
  return [head, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}
