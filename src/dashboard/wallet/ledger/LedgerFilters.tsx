import { Button, NativeSelect, TextInput } from '@mantine/core';
import { ACCOUNT, ENTRY } from '../words.js';
import classes from './Ledger.module.css';
import { isNarrowed, todayHere, type LedgerNarrowing } from './ledgerFilter.js';
import { VideoFilter } from './VideoFilter.js';

interface Props {
  readonly narrowing: LedgerNarrowing;
  readonly onChange: (change: Partial<LedgerNarrowing>) => void;
}

const choices = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

/** Bucket, kind, period and video. */
export function LedgerFilters({ narrowing, onChange }: Props) {
  const { bucket, type, from, to, video } = narrowing;
  return (
    <div className={classes['filters']} role="search" aria-label="Narrow the ledger">
      <NativeSelect
        label="Bucket"
        value={bucket}
        data={[{ value: '', label: 'All' }, ...choices(ACCOUNT)]}
        onChange={(event) => onChange({ bucket: event.currentTarget.value as LedgerNarrowing['bucket'] })}
      />
      <NativeSelect
        label="Kind"
        value={type}
        data={[{ value: '', label: 'All' }, ...choices(ENTRY)]}
        onChange={(event) => onChange({ type: event.currentTarget.value as LedgerNarrowing['type'] })}
      />
      <TextInput
        label="From"
        type="date"
        value={from}
        max={to || todayHere()}
        onChange={(event) => onChange({ from: event.currentTarget.value })}
      />
      <TextInput
        label="To"
        type="date"
        value={to}
        min={from}
        max={todayHere()}
        error={from && to && from > to ? 'Ends before it begins.' : undefined}
        onChange={(event) => onChange({ to: event.currentTarget.value })}
      />
      <VideoFilter videoId={video} onChange={(id) => onChange({ video: id })} />
      {isNarrowed(narrowing) ? (
        <Button
          variant="subtle"
          className={classes['clear'] ?? ''}
          onClick={() => onChange({ bucket: '', type: '', from: '', to: '', video: '' })}
        >
          Clear
        </Button>
      ) : null}
    </div>
  );
}
