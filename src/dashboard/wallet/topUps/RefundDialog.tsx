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

/** Asks for a part of a top-up back: at most what is left of it, and at most what lies in Master. */
export function RefundDialog({ topUp, opened, onClose }: Props) {
  const { currency, creditsPerUnit } = topUp;
  const { data } = useQuery(WalletDocument);
  const master = data?.wallet.master ?? '0';
  const left = minorOf(topUp.refundableAmount);
  const covered = minorFor(microsOf(master), creditsPerUnit);
  const most = left < covered ? left : covered;

  const [typed, setTyped] = useState<string>();
  const [tried, setTried] = useState(false);
  // Kept until it worked: a second click after a lost answer asks for one refund.
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
    showToast({ title: `A refund of ${showMoney(amount, currency)} is asked for`, kind: 'good' });
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (!problem) void run();
  }

  return (
    <Modal opened={opened} onClose={onClose} title="Refund" size="md">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <ul className={`${classes['rules']} num`}>
            <li>
              {showMoney(topUp.refundableAmount, currency)} of this top-up can still go back to where it was paid from.
            </li>
            <li>
              Only credits that are in Master can: it holds {showCredits(master)}
              {covered < left ? '. Move credits back into Master to refund more.' : '.'}
            </li>
            <li>They are held at once, and leave once the provider has carried it out; banks then take a few days.</li>
            <li>A refund within 48 hours of a first top-up takes referral bonuses back.</li>
          </ul>
          <TextInput
            label={`Amount in ${currency === 'INR' ? 'rupees' : 'dollars'}`}
            inputMode="decimal"
            className="num"
            data-autofocus
            leftSection={currency === 'INR' ? '₹' : '$'}
            value={text}
            error={tried || typed !== undefined ? problem : undefined}
            description={
              minor === undefined
                ? undefined
                : `Takes ${showCredits(creditsFor(minor, creditsPerUnit))} credits out of Master.`
            }
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              clear();
              // Another amount is another wish: the key of the last one must not speak for it.
              setKey(crypto.randomUUID());
            }}
          />
          <FormError error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={busy}>
              Request refund
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
  if (minor === undefined || minor === 0n) return 'Enter an amount such as 499.50.';
  if (minor > left) return `At most ${showMoney(toAmount(left), currency)} is left of this top-up.`;
  if (minor > covered) return `Master covers ${showMoney(toAmount(covered), currency)}. Move credits into it first.`;
  return undefined;
}
