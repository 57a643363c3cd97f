import { words } from '#words/supportAccount.js';
import { Badge } from '@mantine/core';
import { useState } from 'react';
import { Button } from '@mantine/core';
import type { StaffTopUpFragment } from '../../generated/graphql.js';
import { microsOf, showCredits } from '../../lib/credits.js';
import { showMoment } from '../../lib/format.js';
import { AccountLink, Ago, StateBadge } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import { DISPUTE, PROVIDER, REFUND, TOP_UP, showMoney } from '../states.js';
import { RefundDialog } from './RefundDialog.js';

/** A top-up with its refunds and disputes, and its account if the list is of all accounts. */
export function TopUpRow({ topUp, isOfMany = false }: { topUp: StaffTopUpFragment; isOfMany?: boolean }) {
  const [refunding, setRefunding] = useState(false);
  const { currency } = topUp;
  return (
    <>
      <div className={classes['what']}>
        <span className={classes['line']}>
          <b className="num">{showMoney(topUp.amount, currency)}</b>
          <StateBadge look={TOP_UP[topUp.status]} />
          {topUp.sandbox ? (
            <Badge color="gray" tt="none" variant="outline">
              {words.topUpRow.sandbox}
            </Badge>
          ) : null}
          {topUp.webhookMissingSince ? (
            <Badge color="orange" tt="none">
              {words.topUpRow.webhookMissing}
            </Badge>
          ) : null}
          {isOfMany ? <AccountLink id={topUp.accountId} email={topUp.accountEmail} /> : null}
        </span>
        <span className={classes['soft']}>
          <span>{PROVIDER[topUp.provider]}</span>
          <span className="num">{words.topUpRow.credits(showCredits(topUp.credits))}</span>
          <span>{showMoment(topUp.creditedAt ?? topUp.createdAt)}</span>
          {topUp.paymentId ? <span className={classes['mono']}>{topUp.paymentId}</span> : null}
          {topUp.orderId ? <span className={classes['mono']}>{topUp.orderId}</span> : null}
        </span>
        {topUp.webhookMissingSince ? (
          <span className={classes['quote']}>
            {words.topUpRow.hasCalledPaidSince(PROVIDER[topUp.provider], <Ago at={topUp.webhookMissingSince} />)}
          </span>
        ) : null}
        {topUp.refunds.map((refund) => (
          <span key={refund.id} className={`${classes['soft']} num`}>
            {showMoney(refund.amount, currency)} {REFUND[refund.state].label}, {showMoment(refund.createdAt)}
          </span>
        ))}
        {topUp.disputes.map((dispute) => (
          <span key={dispute.id} className={`${classes['soft']} num`}>
            {showMoney(dispute.amount, currency)} {DISPUTE[dispute.state].label}, {showMoment(dispute.createdAt)}
          </span>
        ))}
      </div>
      {topUp.status === 'PAID' && microsOf(topUp.refundableAmount) > 0n ? (
        <div className={classes['end']}>
          <Button
            size="xs"
            variant="default"
            aria-label={words.topUpRow.refundOf(showMoney(topUp.amount, currency))}
            onClick={() => setRefunding(true)}
          >
            {words.topUpRow.refund}
          </Button>
          <RefundDialog topUp={topUp} opened={refunding} onClose={() => setRefunding(false)} />
        </div>
      ) : null}
    </>
  );
}
