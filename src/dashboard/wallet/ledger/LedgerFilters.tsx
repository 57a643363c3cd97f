import { words } from '#words/wallet.js';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { ACCOUNT, ENTRY } from '../words.js';
import classes from './Ledger.module.css';
import { todayHere } from '../../lib/localDays.js';
import { isNarrowed, type LedgerNarrowing } from './ledgerFilter.js';
import { VideoFilter } from '../../parts/VideoFilter.js';

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
    <div className={classes['filters']} role="search" aria-label={words.ledgerFilters.filterLedger}>
      <NativeSelect
        label={words.ledgerFilters.bucket}
        value={bucket}
        data={[{ value: '', label: words.ledgerFilters.all }, ...choices(ACCOUNT)]}
        onChange={(event) => onChange({ bucket: event.currentTarget.value as LedgerNarrowing['bucket'] })}
      />
      <NativeSelect
        label={words.ledgerFilters.kind}
        value={type}
        data={[{ value: '', label: words.ledgerFilters.all }, ...choices(ENTRY)]}
        onChange={(event) => onChange({ type: event.currentTarget.value as LedgerNarrowing['type'] })}
      />
      <TextInput
        label={words.ledgerFilters.from}
        type="date"
        value={from}
        max={to || todayHere()}
        onChange={(event) => onChange({ from: event.currentTarget.value })}
      />
      <TextInput
        label={words.ledgerFilters.to}
        type="date"
        value={to}
        min={from}
        max={todayHere()}
        error={from && to && from > to ? words.ledgerFilters.endsBeforeStarts : undefined}
        onChange={(event) => onChange({ to: event.currentTarget.value })}
      />
      <VideoFilter videoId={video} onChange={(id) => onChange({ video: id })} className={classes['video']} />
      {isNarrowed(narrowing) ? (
        <Button
          variant="subtle"
          className={classes['clear'] ?? ''}
          onClick={() => onChange({ bucket: '', type: '', from: '', to: '', video: '' })}
        >
          {words.ledgerFilters.clear}
        </Button>
      ) : null}
    </div>
  );
}
