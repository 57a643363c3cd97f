import { words } from '#words/wallet.js';
import { useQuery } from '@apollo/client/react';
import { Skeleton, Title } from '@mantine/core';
import { BillingDetailsDocument } from '../../generated/graphql.js';
import { ErrorState } from '../../parts/States.js';
import { BillingForm } from './BillingForm.js';
import classes from './Documents.module.css';

/** The buyer named on receipts and tax invoices. */
export function BillingCard() {
  const { data, error, refetch } = useQuery(BillingDetailsDocument);
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="billing-title">
      <div className={classes['head']}>
        <Title order={2} id="billing-title">
          {words.billingCard.billingDetails}
        </Title>
        <p>{words.billingCard.usedOnReceiptsTax}</p>
      </div>
      {error && !data ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? (
        <Skeleton height={320} role="status" aria-busy="true" aria-label={words.billingCard.loadingBillingDetails} />
      ) : null}
      {data ? <BillingForm saved={data.billingDetails} /> : null}
    </section>
  );
}
