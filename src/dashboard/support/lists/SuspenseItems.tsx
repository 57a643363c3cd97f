import { useMutation, useQuery } from '@apollo/client/react';
import { Switch } from '@mantine/core';
import { useState } from 'react';
import {
  StaffResolveSuspenseDocument,
  StaffSuspenseItemsDocument,
  StaffWaitingDocument,
  type StaffSuspenseFragment,
} from '../../generated/graphql.js';
import { showCredits } from '../../lib/credits.js';
import { PageHead } from '../../parts/PageHead.js';
import { AccountLink, Ago, StateBadge } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import { ReasonButton } from '../parts/ReasonButton.js';
import { PAGE, StaffList } from '../parts/StaffList.js';
import { PROVIDER, SUSPENSE, showMinor } from '../words.js';

export default function SuspenseItems() {
  const [all, setAll] = useState(false);
  const variables = { first: PAGE, all };
  const { data, error, refetch, fetchMore } = useQuery(StaffSuspenseItemsDocument, { variables });
  return (
    <>
      <PageHead
        title="Suspense"
        note="Money that came and could not be credited: unknown payers, wrong amounts, paid twice."
      />
      <StaffList
        label="Suspense items"
        pages={data?.suspenseItems}
        error={error}
        onRetry={() => void refetch()}
        onMore={(after) => fetchMore({ variables: { after } })}
        keyOf={(item) => item.id}
        keep={(item) => all || item.status === 'OPEN'}
        render={(item) => <ItemRow item={item} />}
        empty={{ icon: 'check', title: 'Nothing in suspense', advice: 'Every payment found its account.' }}
        estimatePx={92}
        filters={
          <Switch
            size="sm"
            label="Those dealt with, too"
            checked={all}
            onChange={(event) => setAll(event.currentTarget.checked)}
          />
        }
      />
    </>
  );
}

function ItemRow({ item }: { item: StaffSuspenseFragment }) {
  const [resolve] = useMutation(StaffResolveSuspenseDocument, {
    refetchQueries: [StaffSuspenseItemsDocument, StaffWaitingDocument],
  });
  const money = showMinor(item.amountMinor, item.currency);
  return (
    <>
      <div className={classes['what']}>
        <span className={classes['line']}>
          <b className="num">{money}</b>
          <StateBadge look={SUSPENSE[item.status]} />
          <AccountLink id={item.accountId} email={item.accountEmail} />
        </span>
        <span className={classes['quote']}>
          {item.reason}
          {item.resolution ? ` — ${item.resolution}` : ''}
        </span>
        <span className={classes['soft']}>
          <span>{PROVIDER[item.provider]}</span>
          <span className={classes['mono']}>{item.paymentId}</span>
          {item.orderId ? <span className={classes['mono']}>{item.orderId}</span> : null}
          {item.credits === null ? null : <span className="num">{showCredits(item.credits)} credits held</span>}
          <Ago at={item.createdAt} />
        </span>
      </div>
      {item.status === 'OPEN' ? (
        <div className={classes['end']}>
          <ReasonButton
            verb="Resolve"
            label={`Resolve ${money} ${item.paymentId}`}
            title="Mark this as dealt with?"
            done="Resolved"
            onConfirm={(reason) => resolve({ variables: { id: item.id, reason } })}
          >
            A note, which books nothing. To give the money back, refund {item.paymentId} in the dashboard of{' '}
            {PROVIDER[item.provider]}: its webhook books that and closes this by itself.
          </ReasonButton>
        </div>
      ) : null}
    </>
  );
}
