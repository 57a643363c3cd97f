import { words } from '#words/wallet.js';
import { useQuery } from '@apollo/client/react';
import { Modal, Skeleton, Stack } from '@mantine/core';
import { useViewer } from '../../session/viewer.js';
import { PaymentOffersDocument } from '../../generated/graphql.js';
import { EmptyState, ErrorState } from '../../parts/States.js';
import { AddCreditsForm } from './AddCreditsForm.js';

/** Buys credits. The input stays when the dialog is closed and opened again. */
export default function AddCreditsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { emailVerified } = useViewer();
  const { data, error, refetch } = useQuery(PaymentOffersDocument, { skip: !opened });
  const offers = data?.paymentProviders;

  return (
    <Modal opened={opened} onClose={onClose} title={words.addCreditsDialog.addCredits} size="lg" keepMounted>
      {!emailVerified ? (
        <EmptyState
          icon="mail"
          title={words.addCreditsDialog.verifyEmailFirst}
          advice={words.addCreditsDialog.clickLinkEmailWe}
        />
      ) : null}
      {emailVerified && error && !offers ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {emailVerified && !offers && !error ? (
        <Stack role="status" aria-busy="true" aria-label={words.addCreditsDialog.loadingPaymentMethods}>
          <Skeleton height={72} radius="md" />
          <Skeleton height={130} radius="md" />
        </Stack>
      ) : null}
      {emailVerified && offers?.length === 0 ? (
        <EmptyState
          icon="wallet"
          title={words.addCreditsDialog.noPaymentMethodAvailable}
          advice={words.addCreditsDialog.operatorServiceCanAdd}
        />
      ) : null}
      {emailVerified && offers && offers.length > 0 ? (
        <AddCreditsForm offers={offers} bonus={data.referrals.ownBonus} />
      ) : null}
    </Modal>
  );
}
