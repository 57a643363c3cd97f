import { words } from '#words/supportAccount.js';
import { useMutation } from '@apollo/client/react';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import {
  StaffAccountDocument,
  StaffAdjustDocument,
  StaffAdjustmentsDocument,
  StaffAuditLogDocument,
  StaffLedgerDocument,
  StaffWaitingDocument,
} from '../../generated/graphql.js';
import { microsOf, showCredits, toCredits, toMicros } from '../../lib/credits.js';
import { showToast } from '../../parts/toasts.js';
import { ReasonDialog } from '../parts/ReasonDialog.js';
import type { StaffAccount } from './staffAccount.js';

const CHANGED = [
  StaffAccountDocument,
  StaffLedgerDocument,
  StaffAuditLogDocument,
  StaffAdjustmentsDocument,
  StaffWaitingDocument,
];

interface Props {
  readonly account: StaffAccount;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Adjusts Master, up or down. Above the limit of one person, it creates a request that a second person decides. */
export function AdjustDialog({ account, opened, onClose }: Props) {
  const [amount, setAmount] = useState('');
  // Kept until it succeeds, so that a retry after a lost response adjusts only once.
  const [idempotencyKey, setKey] = useState(() => crypto.randomUUID());
  const [adjust] = useMutation(StaffAdjustDocument, { refetchQueries: CHANGED });

  const micros = toMicros(amount.replace(/^\+/, '').replace('−', '-').replaceAll(',', ''));
  const isGiven = micros !== undefined && micros !== 0n;
  const credits = isGiven ? toCredits(micros) : '0';
  const after = toCredits(microsOf(account.wallet.master) + (micros ?? 0n));

  async function confirm(reason: string): Promise<void> {
    const { data } = await adjust({ variables: { accountId: account.id, amount: credits, reason, idempotencyKey } });
    const pending = data?.adjustWallet.pending;
    showToast(
      pending
        ? {
            title: words.adjustDialog.secondPersonMustApprove,
            message: words.adjustDialog.exceedsLimitOnePerson,
          }
        : { title: words.adjustDialog.creditsAdjusted(showCredits(credits)), kind: 'good' },
    );
    setAmount('');
    setKey(crypto.randomUUID());
  }

  return (
    <ReasonDialog
      opened={opened}
      title={words.adjustDialog.adjustWallet}
      verb={
        isGiven
          ? words.adjustDialog.credits(micros > 0n, showCredits(credits).replace('−', ''))
          : words.adjustDialog.adjust
      }
      isDestructive={isGiven && micros < 0n}
      ready={isGiven}
      onClose={onClose}
      onConfirm={confirm}
      fields={
        <TextInput
          label={words.adjustDialog.creditsLabel}
          description={
            isGiven
              ? words.adjustDialog.master(showCredits(account.wallet.master), showCredits(after))
              : words.adjustDialog.byMinusSignTake
          }
          inputMode="text"
          placeholder={words.adjustDialog.amountPlaceholder}
          error={amount && micros === undefined ? words.adjustDialog.enterAmountSuchAs : null}
          data-autofocus
          value={amount}
          onChange={(event) => {
            setAmount(event.currentTarget.value);
            // A changed amount is a new adjustment and needs a new key.
            setKey(crypto.randomUUID());
          }}
        />
      }
    >
      {words.adjustDialog.changesMasterBalanceAbove(account.email)}
    </ReasonDialog>
  );
}
