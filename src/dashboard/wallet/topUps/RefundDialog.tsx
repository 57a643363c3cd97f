import { words } from '#words/wallet.js';
import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { RequestRefundDocument, WalletDocument, type TopUpRowFragment } from '../../generated/graphql.js';
import { creditsFor, minorFor, minorOf, showMoney, toAmount, toMinor } from '../../lib/amounts.js';
import { microsOf, showCredits } from '../../lib/credits.js';
import { FormError } from '../../parts/States.js';
import { showToast } from '../../parts/toasts.js';
import { useAction } from '../../parts/useAction.js';
import classes from './RefundDialog.module.css';

interface Props {
  readonly topUp: TopUpRowFragment;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Requests a refund of a part of a top-up: at most what is left of it, and at most what Master has. */
export function RefundDialog({ topUp, opened, onClose }: Props) {
  const { currency, creditsPerUnit } = topUp;
  const { data } = useQuery(WalletDocument);
  const master = data?.wallet.master ?? '0';
  const left = minorOf(topUp.refundableAmount);
  const covered = minorFor(microsOf(master), creditsPerUnit);
  const most = left < covered ? left : covered;

  const [typed, setTyped] = useState<string>();
  const [tried, setTried] = useState(false);
  // Kept until it succeeds, so that a second click after a lost response requests only one refund.
  const [idempotencyKey, setKey] = useState(() => crypto.randomUUID());
  const [request] = useMutation(RequestRefundDocument);

  const text = typed ?? toAmount(most);
  const minor = toMinor(text);
  const problem = problemOf(minor, { left, covered, currency });
  const { run, busy, error, clear } = useAction(async () => {
    const amount = toAmount(minor ?? 0n);
    await request({ variables: { topUpId: topUp.id, amount, idempotencyKey } });
    setKey(crypto.randomUUID());
    setTyped(undefined);
    setTried(false);
    onClose();
    showToast({ title: words.refundDialog.refundRequested(showMoney(amount, currency)), kind: 'good' });
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (!problem) void run();
  }

  return (
    <Modal opened={opened} onClose={onClose} title={words.refundDialog.refund} size="md">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <ul className={`${classes['rules']} num`}>
            <li>{words.refundDialog.topUpCanRefunded(showMoney(topUp.refundableAmount, currency))}</li>
            <li>{words.refundDialog.onlyCreditsMasterCan(showCredits(master), covered < left)}</li>
            <li>{words.refundDialog.creditsHeldNowLeave}</li>
            <li>{words.refundDialog.refundWithin48Hours}</li>
          </ul>
          <TextInput
            label={words.refundDialog.amount(currency)}
            inputMode="decimal"
            className="num"
            data-autofocus
            leftSection={currency === 'INR' ? '₹' : '$'}
            value={text}
            error={tried || typed !== undefined ? problem : undefined}
            description={
              minor === undefined
                ? undefined
                : words.refundDialog.takesCreditsFromMaster(showCredits(creditsFor(minor, creditsPerUnit)))
            }
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              clear();
              // A changed amount is a new request and needs a new key.
              setKey(crypto.randomUUID());
            }}
          />
          <FormError error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words.refundDialog.cancel}
            </Button>
            <Button type="submit" loading={busy}>
              {words.refundDialog.requestRefund}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface Bounds {
  readonly left: bigint;
  readonly covered: bigint;
  readonly currency: string;
}

function problemOf(minor: bigint | undefined, { left, covered, currency }: Bounds): string | undefined {
  if (minor === undefined || minor === 0n) return words.refundDialog.enterAmountSuchAs;
  if (minor > left) return words.refundDialog.atMostTopUp(showMoney(toAmount(left), currency));
  if (minor > covered) return words.refundDialog.masterCoversMoveCredits(showMoney(toAmount(covered), currency));
  return undefined;
}
