import { words } from '#words/wallet.js';
import { useQuery } from '@apollo/client/react';
import { Button, Skeleton, Switch } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import { WalletDocument } from '../../generated/graphql.js';
import { DownloadButton } from '../../parts/DownloadButton.js';
import { Icon } from '../../parts/Icon.js';
import { EmptyState, ErrorState } from '../../parts/States.js';
import { WindowedList } from '../../parts/WindowedList.js';
import { signatureOf } from '../useMoneyRefresh.js';
import { GroupRow } from './GroupRow.js';
import classes from './Ledger.module.css';
import { csvAddress, filterOf, isNarrowed, narrowingIn, type LedgerNarrowing } from './ledgerFilter.js';
import { groupsOf, isComplete, wholePostings } from './ledgerGroups.js';
import { LedgerFilters } from './LedgerFilters.js';
import { LedgerRow } from './LedgerRow.js';
import { useLedger } from './useLedger.js';

const ROW_PX = 65;

/** Every change of every bucket. The filters are in the address, so that it can be kept and shared. */
export default function Ledger() {
  const [search, setSearch] = useSearchParams();
  const narrowing = narrowingIn(search);
  // The fields begin anew, so that what was typed last and is not searched yet is gone, too.
  const [clears, setClears] = useState(0);
  const { data } = useQuery(WalletDocument);
  // With a bucket, a kind or an amount, the list shows a part of a job: then its rows are the entries themselves.
  const hasOneSide = [narrowing.bucket, narrowing.type, narrowing.amount].some((value) => value !== '');
  const isByJob = !hasOneSide && search.get('rows') !== 'entries';
  const list = useLedger(filterOf(narrowing), signatureOf(data?.wallet));

  function narrow(change: Partial<LedgerNarrowing> & { readonly rows?: 'entries' | '' }): void {
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
      <LedgerFilters
        key={clears}
        narrowing={narrowing}
        onChange={narrow}
        onClear={() => {
          setClears(clears + 1);
          narrow({ bucket: '', type: '', from: '', to: '', video: '', amount: '' });
        }}
      />
      <div className={classes['over']}>
        {hasOneSide ? (
          <span />
        ) : (
          <Switch
            size="sm"
            label={words.ledger.byJob}
            checked={isByJob}
            onChange={(event) => narrow({ rows: event.currentTarget.checked ? '' : 'entries' })}
          />
        )}
        <DownloadButton
          size="xs"
          variant="default"
          leftSection={<Icon name="download" size={15} />}
          href={csvAddress(narrowing)}
        >
          {words.ledger.downloadCsv}
        </DownloadButton>
      </div>
      <Entries
        list={list}
        isByJob={isByJob}
        narrowing={narrowing}
        onNarrow={narrow}
        onShowAll={() => {
          setClears(clears + 1);
          setSearch({}, { replace: true });
        }}
      />
    </>
  );
}

interface EntriesProps {
  readonly list: ReturnType<typeof useLedger>;
  readonly isByJob: boolean;
  readonly narrowing: LedgerNarrowing;
  readonly onNarrow: (change: Partial<LedgerNarrowing>) => void;
  readonly onShowAll: () => void;
}

function Entries({ list, isByJob, narrowing, onNarrow, onShowAll }: EntriesProps) {
  const { entries, error, hasMore } = list;
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const groups = useMemo(
    () => (entries && isByJob ? groupsOf(wholePostings(entries, hasMore)) : undefined),
    [entries, isByJob, hasMore],
  );

  function toggle(id: string): void {
    const next = new Set(opened);
    if (!next.delete(id)) next.add(id);
    setOpened(next);
  }

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
  const isOneVideo = narrowing.video !== '';
  const common = {
    role: 'rowgroup',
    label: words.ledger.entries,
    estimatePx: ROW_PX,
    hasMore,
    loadingMore: list.loading,
    onMore: list.loadMore,
    error,
  } as const;
  return (
    <div
      className={`panel ${classes['table']}`}
      role="table"
      aria-label={words.ledger.ledgerNewestFirst}
      aria-rowcount={hasMore ? -1 : (groups ?? entries).length + 1}
    >
      <div role="rowgroup" className={classes['head']}>
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
      {groups ? (
        <WindowedList
          {...common}
          items={groups}
          keyOf={({ id }) => id}
          render={(group) =>
            group.entries.length === 1 && isComplete(group) ? (
              <LedgerRow entry={group.entries[0]} isOneVideo={isOneVideo} onNarrow={onNarrow} />
            ) : (
              <GroupRow
                group={group}
                isOpen={opened.has(group.id)}
                onToggle={() => toggle(group.id)}
                isOneVideo={isOneVideo}
                onNarrow={onNarrow}
              />
            )
          }
        />
      ) : (
        <WindowedList
          {...common}
          items={entries}
          keyOf={({ id }) => id}
          render={(entry) => <LedgerRow entry={entry} isOneVideo={isOneVideo} onNarrow={onNarrow} />}
        />
      )}
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
