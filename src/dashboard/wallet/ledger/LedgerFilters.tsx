import { words } from '#words/wallet.js';
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { ACCOUNT, ENTRY } from '../words.js';
import classes from './Ledger.module.css';
import { amountOf, isNarrowed, type LedgerNarrowing } from './ledgerFilter.js';
import { useSearchText } from '../../lib/useSearchText.js';
import { PeriodFields } from '../../parts/PeriodFields.js';
import { VideoFilter } from '../../parts/VideoFilter.js';

interface Props {
  readonly narrowing: LedgerNarrowing;
  readonly onChange: (change: Partial<LedgerNarrowing>) => void;
  readonly onClear: () => void;
}

const choices = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

const TYPING_MS = 300;

/** Kind, bucket, amount, period and video. */
export function LedgerFilters({ narrowing, onChange, onClear }: Props) {
  const { bucket, type, from, to, video, amount } = narrowing;
  const [typed, typeAmount] = useSearchText(amount, (text) => onChange({ amount: text }), TYPING_MS);
  return (
    <div className={classes['filters']} role="search" aria-label={words.ledgerFilters.filterLedger}>
      <NativeSelect
        label={words.ledgerFilters.kind}
        className={classes['kind'] ?? ''}
        value={type}
        data={[{ value: '', label: words.ledgerFilters.all }, ...choices(ENTRY)]}
        onChange={(event) => onChange({ type: event.currentTarget.value as LedgerNarrowing['type'] })}
      />
      <NativeSelect
        label={words.ledgerFilters.bucket}
        className={classes['inBucket'] ?? ''}
        value={bucket}
        data={[{ value: '', label: words.ledgerFilters.all }, ...choices(ACCOUNT)]}
        onChange={(event) => onChange({ bucket: event.currentTarget.value as LedgerNarrowing['bucket'] })}
      />
      <TextInput
        label={words.ledgerFilters.amount}
        className={classes['amount'] ?? ''}
        placeholder={words.ledgerFilters.anyAmount}
        inputMode="decimal"
        autoComplete="off"
        maxLength={24}
        value={typed}
        error={typed.trim() !== '' && amountOf(typed) === undefined ? words.ledgerFilters.noAmount : null}
        onChange={(event) => typeAmount(event.currentTarget.value)}
      />
      <PeriodFields
        from={from}
        to={to}
        words={words.ledgerFilters}
        onFrom={(day) => onChange({ from: day })}
        onTo={(day) => onChange({ to: day })}
      />
      <VideoFilter videoId={video} onChange={(id) => onChange({ video: id })} className={classes['video']} />
      {isNarrowed(narrowing) ? (
        <Button variant="subtle" className={classes['clear'] ?? ''} onClick={onClear}>
          {words.ledgerFilters.clear}
        </Button>
      ) : null}
    </div>
  );
}
