import { words } from '#words/analytics.js';
import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { today } from '../lib/utcDays.js';
import { VideoFilter } from '../parts/VideoFilter.js';
import classes from './Analytics.module.css';
import { PERIODS, type Period } from './period.js';

interface Props {
  /** `days` is null for a period of the reader's own. */
  readonly period: Period & { readonly days: number | null };
  readonly videoId: string;
  /** Receives the parameters of the address. */
  readonly onChange: (parameters: Record<string, string>) => void;
}

const CHOICES = [
  ...PERIODS.map((days) => ({
    value: String(days),
    label: days === 365 ? words.last12Months : words.lastDays(days),
  })),
  { value: 'custom', label: words.custom },
];

/** Period and video. */
export function AnalyticsFilters({ period: { from, to, days }, videoId, onChange }: Props) {
  // Kept here until both days make a period.
  const [typed, setTyped] = useState({ from, to });
  const isReversed = days === null && typed.from > typed.to;

  const kept: Record<string, string> = days === null ? { from, to } : { days: String(days) };
  const show = (period: Record<string, string>, video = videoId): void =>
    onChange({ ...period, ...(video ? { video } : {}) });

  function choose(choice: string): void {
    setTyped({ from, to });
    show(choice === 'custom' ? { from, to } : { days: choice });
  }

  function type(part: Partial<Period>): void {
    const next = { ...typed, ...part };
    setTyped(next);
    if (next.from && next.to && next.from <= next.to) show(next);
  }

  return (
    <div className={classes['filters']} role="search" aria-label={words.filter}>
      <NativeSelect
        label={words.period}
        value={days === null ? 'custom' : String(days)}
        data={CHOICES}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {days === null ? (
        <>
          <TextInput
            label={words.from}
            type="date"
            value={typed.from}
            max={today()}
            onChange={(event) => type({ from: event.currentTarget.value })}
          />
          <TextInput
            label={words.to}
            type="date"
            value={typed.to}
            min={typed.from}
            max={today()}
            error={isReversed ? words.endsBeforeStarts : undefined}
            onChange={(event) => type({ to: event.currentTarget.value })}
          />
        </>
      ) : null}
      <VideoFilter videoId={videoId} onChange={(video) => show(kept, video)} className={classes['video']} />
    </div>
  );
}
