import { words } from '#words/support.js';
import { showNumber } from '../../lib/format.js';
import { useQuery } from '@apollo/client/react';
import type { ReactNode } from 'react';
import { StaffAuditLogDocument, type StaffAuditFragment } from '../../generated/graphql.js';
import { AccountLink, Ago, SignedCredits } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import { PAGE, StaffList } from '../parts/StaffList.js';
import { showAction, showMoney } from '../states.js';

interface Props {
  /** Of one account, or (`null`) of all. */
  readonly accountId: string | null;
  /** An action or a family of actions; `null` for all. */
  readonly action: string | null;
  readonly filters?: ReactNode;
}

/** What staff did, to whom, and why. */
export function AuditList({ accountId, action, filters }: Props) {
  const variables = { accountId, action, first: PAGE };
  // Always refetch: somebody may have acted since.
  const { data, error, refetch, fetchMore } = useQuery(StaffAuditLogDocument, { variables });
  return (
    <StaffList
      label={words.auditList.auditTrail}
      pages={data?.auditLog}
      error={error}
      onRetry={() => void refetch()}
      onMore={(after) => fetchMore({ variables: { after } })}
      keyOf={(entry) => entry.id}
      render={(entry) => <AuditRow entry={entry} isOfMany={accountId === null} />}
      empty={{ icon: 'shield', title: words.auditList.noEntriesYet, advice: words.auditList.staffActionsRecordedHere }}
      estimatePx={88}
      filters={filters}
    />
  );
}

function AuditRow({ entry, isOfMany }: { entry: StaffAuditFragment; isOfMany: boolean }) {
  return (
    <>
      <div className={classes['what']}>
        <span className={classes['line']}>
          <b>{showAction(entry.action)}</b>
          <Change entry={entry} />
          {isOfMany ? <AccountLink id={entry.accountId} email={entry.accountEmail} /> : null}
        </span>
        <span className={classes['quote']}>{entry.reason}</span>
        <span className={classes['soft']}>
          <span>
            {entry.actorEmail ?? (entry.actorId ? words.auditList.formerMemberStaff : words.auditList.commandLine)}
          </span>
          {entry.subject === entry.accountId ? null : <span className={classes['mono']}>{entry.subject}</span>}
          {rest(entry.details).map(({ key, value }) => (
            <span key={key}>
              {KEY[key] ?? key} {value}
            </span>
          ))}
        </span>
      </div>
      <div className={`${classes['end']} ${classes['soft']}`}>
        <Ago at={entry.createdAt} />
      </div>
    </>
  );
}

type Details = StaffAuditFragment['details'];

/** Names of the trail's details. */
const KEY: Readonly<Record<string, string>> = {
  topUp: words.auditList.topUp,
  requestedBy: words.auditList.requested,
  amountMinor: words.auditList.minorUnits,
};

/** "1,000 → 5,000", or the amount. */
function Change({ entry: { action, details } }: { entry: StaffAuditFragment }) {
  const of = (name: string) => details.find(({ key }) => key === name)?.value;
  const [from, to, amount] = [of('from'), of('to'), of('amount')];
  if (from !== undefined && to !== undefined) {
    return (
      <span className="num">
        {grouped(from)} → {grouped(to)}
      </span>
    );
  }
  if (amount === undefined) return null;
  if (action.startsWith('wallet.')) return <SignedCredits credits={amount} />;
  return <span className="num">{showMoney(amount, of('currency') ?? '')}</span>;
}

function rest(details: Details): Details {
  return details.filter(({ key }) => !['from', 'to', 'amount', 'currency'].includes(key));
}

function grouped(text: string): string {
  return /^\d+$/.test(text) ? showNumber(Number(text)) : text;
}
