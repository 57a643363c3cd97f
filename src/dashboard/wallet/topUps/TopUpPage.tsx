import { words } from '#words/wallet.js';
import { useQuery } from '@apollo/client/react';
import { Anchor, Button, Skeleton } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { useIsReadOnly } from '../../session/viewer.js';
import { TopUpDocument, type TopUpRowFragment } from '../../generated/graphql.js';
import { minorOf, showMoney } from '../../lib/amounts.js';
import { showCredits } from '../../lib/credits.js';
import { showMoment } from '../../lib/format.js';
import { DownloadButton } from '../../parts/DownloadButton.js';
import { Icon } from '../../parts/Icon.js';
import { ErrorState } from '../../parts/States.js';
import { StateTag } from '../StateTag.js';
import { AfterTopUp } from './AfterTopUp.js';
import { openCheckout } from './openCheckout.js';
import { RefundDialog } from './RefundDialog.js';
import classes from './TopUpPage.module.css';
import { PROVIDER, statusOf } from './words.js';

const ASK_AGAIN_MS = 4000;

/** One top-up: payment, credits, refunds, and documents. */
export default function TopUpPage() {
  const { id = '' } = useParams();
  const { data, error, refetch, startPolling, stopPolling } = useQuery(TopUpDocument, { variables: { id } });
  const isMoving = data !== undefined && isUnderWay(data.topUp);

  // Poll, because not every change of a top-up changes the live wallet.
  useEffect(() => {
    if (!isMoving) return undefined;
    startPolling(ASK_AGAIN_MS);
    return stopPolling;
  }, [isMoving, startPolling, stopPolling]);

  return (
    <div className={classes['page']}>
      <Anchor component={Link} to="/wallet/top-ups" size="sm" className={classes['back'] ?? ''}>
        {words.topUpPage.allTopUps(<Icon name="back" size={16} />)}
      </Anchor>
      {error && !data ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? (
        <Skeleton height={280} radius="lg" role="status" aria-busy="true" aria-label={words.topUpPage.loadingTopUp} />
      ) : null}
      {data ? <Details topUp={data.topUp} /> : null}
    </div>
  );
}

function isUnderWay({ status, refunds, disputes }: TopUpRowFragment): boolean {
  return (
    status === 'OPENING' ||
    status === 'OPEN' ||
    refunds.some(({ state }) => state === 'REQUESTED' || state === 'PENDING') ||
    disputes.some(({ state }) => state === 'OPEN')
  );
}

function Details({ topUp }: { topUp: TopUpRowFragment }) {
  const isReadOnly = useIsReadOnly();
  const [refunding, setRefunding] = useState(false);
  const { label, kind } = statusOf(topUp);
  const { checkout, currency } = topUp;
  const canRefund = topUp.status === 'PAID' && minorOf(topUp.refundableAmount) > 0n;

  return (
    <>
      <section className={`panel ${classes['card']}`} aria-labelledby="topup-title">
        <div className={classes['head']}>
          <div>
            <h2 id="topup-title" className="num">
              {showMoney(topUp.amount, currency)}
            </h2>
            <StateTag kind={kind}>{label}</StateTag>
            {topUp.sandbox ? (
              <>
                {' '}
                <StateTag kind="open">{words.topUpPage.sandbox}</StateTag>
              </>
            ) : null}
          </div>
          <div className={classes['buttons']}>
            {topUp.receiptUrl ? (
              <DownloadButton
                href={topUp.receiptUrl}
                variant="default"
                leftSection={<Icon name="download" size={17} />}
              >
                {words.topUpPage.receipt}
              </DownloadButton>
            ) : null}
            {checkout ? (
              <Button onClick={() => openCheckout(checkout)} disabled={isReadOnly}>
                {words.topUpPage.payNow}
              </Button>
            ) : null}
            {canRefund ? (
              <Button variant="default" onClick={() => setRefunding(true)} disabled={isReadOnly}>
                {words.topUpPage.refund}
              </Button>
            ) : null}
          </div>
        </div>
        <dl className={`${classes['facts']} num`}>
          <Fact name={words.topUpPage.facts.credits}>{showCredits(topUp.credits)}</Fact>
          <Fact name={words.topUpPage.facts.provider}>{PROVIDER[topUp.provider].label}</Fact>
          {topUp.rateAsOf ? (
            <Fact name={words.topUpPage.facts.rate}>
              {words.topUpPage.n1CreditsAs(currency, showCredits(topUp.creditsPerUnit), showMoment(topUp.rateAsOf))}
            </Fact>
          ) : null}
          <Fact name={words.topUpPage.facts.started}>{showMoment(topUp.createdAt)}</Fact>
          {topUp.creditedAt ? <Fact name={words.topUpPage.facts.credited}>{showMoment(topUp.creditedAt)}</Fact> : null}
          {topUp.status === 'OPEN' ? (
            <Fact name={words.topUpPage.facts.payableUntil}>{showMoment(topUp.expiresAt)}</Fact>
          ) : null}
          {topUp.status === 'PAID' ? (
            <Fact name={words.topUpPage.facts.refundable}>{showMoney(topUp.refundableAmount, currency)}</Fact>
          ) : null}
        </dl>
      </section>
      <AfterTopUp topUp={topUp} />
      <RefundDialog topUp={topUp} opened={refunding} onClose={() => setRefunding(false)} />
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
