import { words } from '#words/wallet.js';
import { useQuery } from '@apollo/client/react';
import { Skeleton } from '@mantine/core';
import { useId } from 'react';
import { LedgerPageDocument, type LedgerRowFragment } from '../../generated/graphql.js';
import { microsOf, showCredits, toCredits } from '../../lib/credits.js';
import { showMoment } from '../../lib/format.js';
import { Icon } from '../../parts/Icon.js';
import { FormError } from '../../parts/States.js';
import { ENTRY } from '../words.js';
import { Cause } from './Cause.js';
import classes from './Ledger.module.css';
import type { LedgerNarrowing } from './ledgerFilter.js';
import { accountsOf, changeOf, groupsOf, isComplete, type LedgerGroup } from './ledgerGroups.js';
import { AccountName } from './LedgerRow.js';

/** The service's maximum. An attempt has six entries at most. */
const MOST_ENTRIES = 100;

interface Props {
  readonly group: LedgerGroup;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** The list is already filtered by one video. */
  readonly isOneVideo: boolean;
  readonly onNarrow: (change: Partial<LedgerNarrowing>) => void;
}

/** The cells of one job or posting, which opens to its entries. */
export function GroupRow({ group, isOpen, onToggle, isOneVideo, onNarrow }: Props) {
  const partsId = useId();
  const [newest] = group.entries;
  const { job } = group;
  const { micros, isMove } = changeOf(group);
  const what = ENTRY[newest.type];
  return (
    <>
      <div className={classes['row']} role="presentation">
        <span role="cell" className={classes['what']}>
          <span>
            <button
              type="button"
              className={classes['toggle']}
              aria-expanded={isOpen}
              aria-controls={isOpen ? partsId : undefined}
              aria-label={words.ledgerRow.showEntries(what)}
              onClick={onToggle}
            >
              <Icon name="chevron" size={14} />
              <b>{what}</b>
            </button>
          </span>
          <small>
            <Cause entry={newest} />
            {job && !isOneVideo ? (
              <button type="button" onClick={() => onNarrow({ video: job.videoId })}>
                {words.ledgerRow.onlyVideo}
              </button>
            ) : null}
          </small>
        </span>
        <time role="cell" dateTime={newest.createdAt} className={classes['when']}>
          {showMoment(newest.createdAt)}
        </time>
        <span role="cell" className={classes['buckets']}>
          {accountsOf(group).map((account) => (
            <span key={account} className={classes['bucket']}>
              <AccountName account={account} />
            </span>
          ))}
        </span>
        <span role="cell" className={`${classes['change']} num`} data-up={(micros > 0n && !isMove) || undefined}>
          {micros > 0n && !isMove ? '+' : ''}
          {showCredits(toCredits(micros))}
        </span>
        <span role="cell" className={classes['after']} />
      </div>
      {isOpen ? (
        <div role="cell" id={partsId} className={classes['parts']}>
          {job && !isComplete(group) ? (
            <WholeJob group={group} what={what} />
          ) : (
            <Parts entries={group.entries} what={what} />
          )}
        </div>
      ) : null}
    </>
  );
}

/** Of a job whose older entries are further down in the ledger. */
function WholeJob({ group: { id, job }, what }: { group: LedgerGroup; what: string }) {
  const { data, error } = useQuery(LedgerPageDocument, {
    variables: { first: MOST_ENTRIES, filter: { videoId: job?.videoId ?? null } },
    fetchPolicy: 'no-cache',
  });
  if (error) return <FormError error={error} />;
  if (!data) {
    return <Skeleton height={36} role="status" aria-busy="true" aria-label={words.ledgerRow.loadingEntries} />;
  }
  const entries = data.wallet.entries.edges.map(({ node }) => node);
  return <Parts entries={groupsOf(entries).find((group) => group.id === id)?.entries ?? []} what={what} />;
}

function Parts({ entries, what }: { entries: readonly LedgerRowFragment[]; what: string }) {
  return (
    <ul aria-label={words.ledgerRow.entriesOf(what)}>
      {entries.map(({ id, type, createdAt, account, amount, balanceAfter }) => (
        <li key={id}>
          <div className={classes['row']}>
            <span className={classes['what']}>{ENTRY[type]}</span>
            <time dateTime={createdAt} className={classes['when']}>
              {showMoment(createdAt)}
            </time>
            <span className={classes['bucket']}>
              <AccountName account={account} />
            </span>
            <span className={`${classes['change']} num`} data-up={microsOf(amount) > 0n || undefined}>
              {microsOf(amount) > 0n ? '+' : ''}
              {showCredits(amount)}
            </span>
            <span className={`${classes['after']} num`}>{showCredits(balanceAfter)}</span>
          </div>
        </li>
      ))}
    </ul>
  );
}
