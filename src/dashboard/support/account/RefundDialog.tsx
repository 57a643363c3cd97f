import { words } from '#words/supportAccount.js';
import { useMutation } from '@apollo/client/react';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { isCode } from '../../session/failures.js';
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
import { PROVIDER, showMoney } from '../states.js';

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
            title: words.refundDialog.refundRequested(showMoney(amount.trim(), topUp.currency)),
            message: words.refundDialog.bookedAfterProviderConfirmation,
            kind: 'good',
          }
        : {
            title: words.refundDialog.secondPersonMustApprove,
            message: words.refundDialog.exceedsWhatCanRefund,
          },
    );
    setKey(crypto.randomUUID());
  }

  return (
    <ReasonDialog
      opened={opened}
      title={words.refundDialog.refundTopUp}
      verb={
        ready ? words.refundDialog.refund(showMoney(amount.trim(), topUp.currency)) : words.refundDialog.confirmRefund
      }
      isDestructive
      ready={ready}
      onClose={onClose}
      onConfirm={confirm}
      fields={
        <TextInput
          label={words.refundDialog.amount(topUp.currency)}
          description={words.refundDialog.atMost(showMoney(topUp.refundableAmount, topUp.currency))}
          inputMode="decimal"
          error={
            amount && !ready
              ? words.refundDialog.upTwoDecimals(showMoney(topUp.refundableAmount, topUp.currency))
              : null
          }
          data-autofocus
          value={amount}
          onChange={(event) => {
            setAmount(event.currentTarget.value);
            setKey(crypto.randomUUID());
          }}
        />
      }
    >
      {words.refundDialog.returnsMoneyPayerCredits(PROVIDER[topUp.provider])}
    </ReasonDialog>
  );
}
