import { useMutation } from '@apollo/client/react';
import { Button, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useViewer } from '../app/viewer.js';
import { RepayDebtDocument, type WalletBalancesFragment } from '../generated/graphql.js';
import { microsOf, showCredits, toCredits, toMicros } from '../lib/credits.js';
import { FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import { useAddCredits } from './addCredits.js';
import classes from './DebtCard.module.css';

/** What is owed, why that matters, and the way out. */
export function DebtCard({ wallet }: { wallet: WalletBalancesFragment }) {
  const { account } = useViewer();
  const addCredits = useAddCredits();
  const owed = -microsOf(wallet.debt);
  const master = microsOf(wallet.master);
  const payable = owed < master ? owed : master;
  const [typed, setTyped] = useState<string>();
  const [tried, setTried] = useState(false);
  // Kept until it worked: a second click after a lost answer pays once.
  const [idempotencyKey, setKey] = useState(() => crypto.randomUUID());
  const [repay] = useMutation(RepayDebtDocument);

  const text = typed ?? (payable > 0n ? toCredits(payable) : '');
  const micros = toMicros(text);
  const problem = problemOf(micros, owed, master);
  const { run, busy, error, clear } = useAction(async () => {
    const amount = toCredits(micros ?? 0n);
    await repay({ variables: { amount, idempotencyKey } });
    showToast({ title: `${showCredits(amount)} credits of the debt are paid`, kind: 'good' });
    setKey(crypto.randomUUID());
    setTyped(undefined);
    setTried(false);
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (!problem) void run();
  }

  return (
    <form onSubmit={submit} noValidate className={`panel ${classes['card']}`} aria-labelledby="debt-title">
      <div>
        <h2 id="debt-title">
          You owe <span className="num">{showCredits(toCredits(owed))}</span> credits
        </h2>
        <p>
          It comes from storage that could not be paid, a bonus that was taken back, or a payment that went back after
          its credits were spent. No new job starts until it is paid; what comes in pays it first.
        </p>
      </div>
      {payable > 0n ? (
        <div className={classes['form']}>
          <TextInput
            label="Repay from Master"
            description={`Master has ${showCredits(wallet.master)} credits.`}
            inputMode="decimal"
            value={text}
            disabled={account.suspended}
            error={tried ? problem : undefined}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              clear();
              // Another amount is another wish: the key of the last one must not speak for it.
              setKey(crypto.randomUUID());
            }}
          />
          <Button type="submit" loading={busy} disabled={account.suspended}>
            Repay
          </Button>
        </div>
      ) : (
        <Button onClick={addCredits} disabled={account.suspended}>
          Add credits to pay it
        </Button>
      )}
      <FormError error={error} />
    </form>
  );
}

function problemOf(micros: bigint | undefined, owed: bigint, master: bigint): string | undefined {
  if (micros === undefined || micros <= 0n) return 'Enter an amount such as 12.5.';
  if (micros > owed) return `You owe ${showCredits(toCredits(owed))} credits.`;
  if (micros > master) return `Master has ${showCredits(toCredits(master))} credits.`;
  return undefined;
}
