import { TextInput } from '@mantine/core';
import { todayHere } from '../lib/localDays.js';

interface Props {
  /** `YYYY-MM-DD`, in the reader's own time zone; both days are included. Empty if that end is open. */
  readonly from: string;
  readonly to: string;
  readonly words: { readonly from: string; readonly to: string; readonly endsBeforeStarts: string };
  readonly onFrom: (day: string) => void;
  readonly onTo: (day: string) => void;
}

/** Two date fields for a period of the past. */
export function PeriodFields({ from, to, words, onFrom, onTo }: Props) {
  return (
    <>
      <TextInput
        label={words.from}
        type="date"
        value={from}
        max={to || todayHere()}
        onChange={(event) => onFrom(event.currentTarget.value)}
      />
      <TextInput
        label={words.to}
        type="date"
        value={to}
        min={from}
        max={todayHere()}
        error={from && to && from > to ? words.endsBeforeStarts : undefined}
        onChange={(event) => onTo(event.currentTarget.value)}
      />
    </>
  );
}
