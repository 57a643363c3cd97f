import { useQuery } from '@apollo/client/react';
import { Modal, Skeleton, Stack } from '@mantine/core';
import { useViewer } from '../../app/viewer.js';
import { PaymentOffersDocument } from '../../generated/graphql.js';
import { EmptyState, ErrorState } from '../../parts/States.js';
import { AddCreditsForm } from './AddCreditsForm.js';

/** Where credits are bought. What was typed stays when it is closed and opened again. */
export default function AddCreditsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { emailVerified } = useViewer();
  const { data, error, refetch } = useQuery(PaymentOffersDocument, { skip: !opened });
  const offers = data?.paymentProviders;

  return (
    <Modal opened={opened} onClose={onClose} title="Add credits" size="lg" keepMounted>
      {!emailVerified ? (
        <EmptyState
          icon="mail"
          title="Confirm your address first"
          advice="Open the link in the mail we sent you: receipts go to that address."
        />
      ) : null}
      {emailVerified && error && !offers ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {emailVerified && !offers && !error ? (
        <Stack role="status" aria-busy="true" aria-label="Loading the ways to pay">
          <Skeleton height={72} radius="md" />
          <Skeleton height={130} radius="md" />
        </Stack>
      ) : null}
      {emailVerified && offers?.length === 0 ? (
        <EmptyState icon="wallet" title="No way to pay is set up" advice="Whoever runs this service can add one." />
      ) : null}
      {emailVerified && offers && offers.length > 0 ? (
        <AddCreditsForm offers={offers} bonus={data.referrals.ownBonus} />
      ) : null}
    </Modal>
  );
}
