import { words } from '#words/support.js';
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
import { PROVIDER, SUSPENSE, showMinor } from '../states.js';

export default function SuspenseItems() {
  const [all, setAll] = useState(false);
  const variables = { first: PAGE, all };
  const { data, error, refetch, fetchMore } = useQuery(StaffSuspenseItemsDocument, { variables });
  return (
    <>
      <PageHead title={words.suspenseItems.suspense} note={words.suspenseItems.paymentsCouldNotCredited} />
      <StaffList
        label={words.suspenseItems.suspenseItems}
        pages={data?.suspenseItems}
        error={error}
        onRetry={() => void refetch()}
        onMore={(after) => fetchMore({ variables: { after } })}
        keyOf={(item) => item.id}
        keep={(item) => all || item.status === 'OPEN'}
        render={(item) => <ItemRow item={item} />}
        empty={{
          icon: 'check',
          title: words.suspenseItems.nothingSuspense,
          advice: words.suspenseItems.everyPaymentHasAccount,
        }}
        estimatePx={92}
        filters={
          <Switch
            size="sm"
            label={words.suspenseItems.includeResolved}
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
          {item.credits === null ? null : (
            <span className="num">{words.suspenseItems.creditsHeld(showCredits(item.credits))}</span>
          )}
          <Ago at={item.createdAt} />
        </span>
      </div>
      {item.status === 'OPEN' ? (
        <div className={classes['end']}>
          <ReasonButton
            verb={words.suspenseItems.resolve}
            label={words.suspenseItems.resolveOf(money, item.paymentId)}
            title={words.suspenseItems.markAsResolved}
            done={words.suspenseItems.resolved}
            onConfirm={(reason) => resolve({ variables: { id: item.id, reason } })}
          >
            {words.suspenseItems.noteBooksNothingReturn(item.paymentId, PROVIDER[item.provider])}
          </ReasonButton>
        </div>
      ) : null}
    </>
  );
}
