import { useQuery } from '@apollo/client/react';
import { Skeleton, Title } from '@mantine/core';
import { BillingDetailsDocument } from '../../generated/graphql.js';
import { ErrorState } from '../../parts/States.js';
import { BillingForm } from './BillingForm.js';
import classes from './Documents.module.css';

/** Whom receipts and tax invoices are made out to. */
export function BillingCard() {
  const { data, error, refetch } = useQuery(BillingDetailsDocument);
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="billing-title">
      <div className={classes['head']}>
        <Title order={2} id="billing-title">
          Billing details
        </Title>
        <p>Used on receipts and tax invoices from now on. Issued documents don’t change.</p>
      </div>
      {error && !data ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? (
        <Skeleton height={320} role="status" aria-busy="true" aria-label="Loading the billing details" />
      ) : null}
      {data ? <BillingForm saved={data.billingDetails} /> : null}
    </section>
  );
}
