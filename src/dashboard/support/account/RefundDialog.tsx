import { useMutation } from '@apollo/client/react';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { isCode } from '../../app/words.js';
import {
  StaffAuditLogDocument,
  StaffProposeRefundDocument,
  StaffRefundDocument,
  StaffRequestsDocument,
  StaffWaitingDocument,
  type StaffTopUpFragment,
} from '../../generated/graphql.js';
import { microsOf, toMicros } from '../../lib/credits.js';
import { showToast } from '../../parts/toasts.js';
import { ReasonDialog } from '../parts/ReasonDialog.js';
import { PROVIDER, showMoney } from '../words.js';

const MONEY = /^\d{1,12}(\.\d{1,2})?$/;

interface Props {
  readonly topUp: StaffTopUpFragment;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Refunds money of a top-up to the payer. */
export function RefundDialog({ topUp, opened, onClose }: Props) {
  const [amount, setAmount] = useState(topUp.refundableAmount);
  // Kept until it succeeds, so that a retry after a lost response refunds only once.
  const [idempotencyKey, setKey] = useState(() => crypto.randomUUID());
  const [refund] = useMutation(StaffRefundDocument, { refetchQueries: [StaffAuditLogDocument] });

  const [propose] = useMutation(StaffProposeRefundDocument, {
    refetchQueries: [StaffAuditLogDocument, StaffRequestsDocument, StaffWaitingDocument],
  });

  const given = MONEY.test(amount.trim()) ? toMicros(amount) : undefined;
  const ready = given !== undefined && given > 0n && given <= microsOf(topUp.refundableAmount);

  async function confirm(reason: string): Promise<void> {
    const variables = { accountId: topUp.accountId, topUpId: topUp.id, amount: amount.trim(), reason, idempotencyKey };
    const isAsked = await refund({ variables }).then(
      () => true,
      async (failure: unknown) => {
        if (!isCode(failure, 'APPROVAL_REQUIRED')) throw failure;
        await propose({ variables });
        return false;
      },
    );
    showToast(
      isAsked
        ? {
            title: `${showMoney(amount.trim(), topUp.currency)} asked back`,
            message: 'It is booked when the provider confirms it.',
            kind: 'good',
          }
        : {
            title: 'A second person must approve this',
            message: 'It is beyond what you may refund alone, and waits under Requests.',
          },
    );
    setKey(crypto.randomUUID());
  }

  return (
    <ReasonDialog
      opened={opened}
      title="Refund this top-up?"
      verb={ready ? `Refund ${showMoney(amount.trim(), topUp.currency)}` : 'Refund'}
      isDestructive
      ready={ready}
      onClose={onClose}
      onConfirm={confirm}
      fields={
        <TextInput
          label={`Amount in ${topUp.currency}`}
          description={`At most ${showMoney(topUp.refundableAmount, topUp.currency)}`}
          inputMode="decimal"
          error={amount && !ready ? `Up to ${showMoney(topUp.refundableAmount, topUp.currency)}, two decimals.` : null}
          data-autofocus
          value={amount}
          onChange={(event) => {
            setAmount(event.currentTarget.value);
            setKey(crypto.randomUUID());
          }}
        />
      }
    >
      {PROVIDER[topUp.provider]} sends the money back to the payer. The credits leave the wallet; what is spent already
      becomes debt.
    </ReasonDialog>
  );
}
