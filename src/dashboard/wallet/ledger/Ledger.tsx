import { words } from '#words/wallet.js';
import { useQuery } from '@apollo/client/react';
import { Button, Skeleton } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { WalletDocument } from '../../generated/graphql.js';
import { EmptyState, ErrorState } from '../../parts/States.js';
import { WindowedList } from '../../parts/WindowedList.js';
import { signatureOf } from '../useMoneyRefresh.js';
import classes from './Ledger.module.css';
import { filterOf, isNarrowed, narrowingIn, type LedgerNarrowing } from './ledgerFilter.js';
import { LedgerFilters } from './LedgerFilters.js';
import { LedgerRow } from './LedgerRow.js';
import { useLedger } from './useLedger.js';

const ROW_PX = 65;

/** Every change of every bucket. The filters are in the address, so that it can be kept and shared. */
export default function Ledger() {
  const [search, setSearch] = useSearchParams();
  const narrowing = narrowingIn(search);
  const { data } = useQuery(WalletDocument);
  const list = useLedger(filterOf(narrowing), signatureOf(data?.wallet));

  function narrow(change: Partial<LedgerNarrowing>): void {
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(change)) {
          if (value) next.set(name, value);
          else next.delete(name);
        }
        return next;
      },
      { replace: true },
    );
  }

  return (
    <>
      <LedgerFilters narrowing={narrowing} onChange={narrow} />
      <Entries list={list} narrowing={narrowing} onNarrow={narrow} onShowAll={() => setSearch({}, { replace: true })} />
    </>
  );
}

interface EntriesProps {
  readonly list: ReturnType<typeof useLedger>;
  readonly narrowing: LedgerNarrowing;
  readonly onNarrow: (change: Partial<LedgerNarrowing>) => void;
  readonly onShowAll: () => void;
}

function Entries({ list, narrowing, onNarrow, onShowAll }: EntriesProps) {
  const { entries, error } = list;
  if (error && !entries) return <ErrorState error={error} onRetry={list.reload} />;
  if (!entries) return <Loading />;
  if (entries.length === 0) {
    return (
      <div className="panel">
        {isNarrowed(narrowing) ? (
          <EmptyState
            icon="search"
            title={words.ledger.noMatchingEntries}
            advice={words.ledger.chooseLongerPeriodFewer}
          >
            <Button variant="default" onClick={onShowAll}>
              {words.ledger.showAllEntries}
            </Button>
          </EmptyState>
        ) : (
          <EmptyState icon="wallet" title={words.ledger.noEntriesYet} advice={words.ledger.everyChangeCreditsAppears} />
        )}
      </div>
    );
  }
  return (
    <div
      className={`panel ${classes['table']}`}
      role="table"
      aria-label={words.ledger.ledgerNewestFirst}
      aria-rowcount={list.hasMore ? -1 : entries.length + 1}
    >
      <div role="rowgroup">
        <div role="row" aria-rowindex={1} className={`${classes['row']} ${classes['headings']}`}>
          <span role="columnheader">{words.ledger.what}</span>
          <span role="columnheader">{words.ledger.when}</span>
          <span role="columnheader">{words.ledger.bucket}</span>
          <span role="columnheader" className={classes['number']}>
            {words.ledger.change}
          </span>
          <span role="columnheader" className={classes['number']}>
            {words.ledger.balanceAfter}
          </span>
        </div>
      </div>
      <WindowedList
        role="rowgroup"
        items={entries}
        keyOf={({ id }) => id}
        render={(entry) => <LedgerRow entry={entry} isOneVideo={narrowing.video !== ''} onNarrow={onNarrow} />}
        label={words.ledger.entries}
        estimatePx={ROW_PX}
        hasMore={list.hasMore}
        loadingMore={list.loading}
        onMore={list.loadMore}
        error={error}
      />
    </div>
  );
}

function Loading() {
  return (
    <div
      className={`panel ${classes['loading']}`}
      role="status"
      aria-busy="true"
      aria-label={words.ledger.loadingLedger}
    >
      {['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => (
        <Skeleton key={key} height={36} />
      ))}
    </div>
  );
}
