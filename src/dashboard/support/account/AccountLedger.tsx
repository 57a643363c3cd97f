import { words } from '#words/supportAccount.js';
import { useQuery } from '@apollo/client/react';
import { NativeSelect } from '@mantine/core';
import { useMemo, useState } from 'react';
import {
  StaffLedgerDocument,
  type LedgerAccount,
  type LedgerEntryType,
  type LedgerFilterInput,
  type StaffLedgerQuery,
} from '../../generated/graphql.js';
import { showCredits } from '../../lib/credits.js';
import { showMoment } from '../../lib/format.js';
import { ACCOUNT, ENTRY } from '../../wallet/words.js';
import { SignedCredits } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import { PAGE, StaffList } from '../parts/StaffList.js';
import type { StaffAccount } from './staffAccount.js';

type Entry = NonNullable<StaffLedgerQuery['account']>['wallet']['entries']['edges'][number]['node'];

const TYPES = Object.entries(ENTRY) as [LedgerEntryType, string][];
const ACCOUNTS = Object.entries(ACCOUNT) as [LedgerAccount, string][];

/** All ledger entries of the account, newest first. */
export function AccountLedger({ account: { id } }: { account: StaffAccount }) {
  const [type, setType] = useState<LedgerEntryType | ''>('');
  const [account, setAccount] = useState<LedgerAccount | ''>('');
  const filter = useMemo<LedgerFilterInput | null>(
    () =>
      type || account ? { ...(type ? { types: [type] } : {}), ...(account ? { accounts: [account] } : {}) } : null,
    [type, account],
  );
  const variables = { id, first: PAGE, filter };
  const { data, error, refetch, fetchMore } = useQuery(StaffLedgerDocument, { variables });

  return (
    <StaffList
      label={words.accountLedger.ledgerEntries}
      pages={data?.account?.wallet.entries}
      error={error}
      onRetry={() => void refetch()}
      onMore={(after) => fetchMore({ variables: { after } })}
      keyOf={(entry) => entry.id}
      render={(entry) => <EntryRow entry={entry} />}
      empty={{ icon: 'wallet', title: words.accountLedger.noEntries, advice: words.accountLedger.noMatchingEntries }}
      estimatePx={64}
      filters={
        <>
          <NativeSelect
            size="xs"
            aria-label={words.accountLedger.kindEntry}
            value={type}
            data={[
              { value: '', label: words.accountLedger.allKinds },
              ...TYPES.map(([value, label]) => ({ value, label })),
            ]}
            onChange={(event) => setType(event.currentTarget.value as LedgerEntryType | '')}
          />
          <NativeSelect
            size="xs"
            aria-label={words.accountLedger.bucket}
            value={account}
            data={[
              { value: '', label: words.accountLedger.allBuckets },
              ...ACCOUNTS.map(([value, label]) => ({ value, label })),
            ]}
            onChange={(event) => setAccount(event.currentTarget.value as LedgerAccount | '')}
          />
        </>
      }
    />
  );
}

/** What caused it, if known; otherwise the ledger's reference. */
function Cause({ entry: { cause, reference } }: { entry: Entry }) {
  if (cause?.__typename === 'AdjustmentCause') return <span>{cause.reason}</span>;
  if (cause?.__typename === 'VideoCause' && cause.title !== null) {
    return (
      <span>{cause.attempt === null ? cause.title : words.accountLedger.attempt(cause.title, cause.attempt)}</span>
    );
  }
  if (cause?.__typename === 'TopUpCause') return <span>{cause.paymentId}</span>;
  if (cause?.__typename === 'RefundCause') return <span>{cause.refundId}</span>;
  if (cause?.__typename === 'StorageCause')
    return <span>{cause.isReversal ? words.accountLedger.reversed(cause.date) : cause.date}</span>;
  return reference ? <span>{reference}</span> : null;
}

function EntryRow({ entry }: { entry: Entry }) {
  return (
    <>
      <div className={classes['what']}>
        <span className={classes['line']}>
          <b>{ENTRY[entry.type]}</b>
          <span className={classes['soft']}>{ACCOUNT[entry.account]}</span>
        </span>
        <span className={classes['soft']}>
          <time dateTime={entry.createdAt}>{showMoment(entry.createdAt)}</time>
          <Cause entry={entry} />
          <span className={classes['mono']}>{entry.transactionId}</span>
        </span>
      </div>
      <div className={classes['end']}>
        <span className={classes['what']}>
          <SignedCredits credits={entry.amount} />
          <span className={`${classes['soft']} num`}>
            {words.accountLedger.balance(showCredits(entry.balanceAfter))}
          </span>
        </span>
      </div>
    </>
  );
}
