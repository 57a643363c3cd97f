import { words } from '#words/wallet.js';
import { useMutation } from '@apollo/client/react';
import { Button, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useIsReadOnly } from '../session/viewer.js';
import { RepayDebtDocument, type WalletBalancesFragment } from '../generated/graphql.js';
import { microsOf, showCredits, toCredits, toMicros } from '../lib/credits.js';
import { FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import { useAddCredits } from './addCredits.js';
import classes from './DebtCard.module.css';

/** What is owed, why that matters, and how to repay it. */
export function DebtCard({ wallet }: { wallet: WalletBalancesFragment }) {
  const isReadOnly = useIsReadOnly();
  const addCredits = useAddCredits();
  const owed = -microsOf(wallet.debt);
  const master = microsOf(wallet.master);
  const payable = owed < master ? owed : master;
  const [typed, setTyped] = useState<string>();
  const [tried, setTried] = useState(false);
  // Kept until it succeeds, so that a second click after a lost response pays only once.
  const [idempotencyKey, setKey] = useState(() => crypto.randomUUID());
  const [repay] = useMutation(RepayDebtDocument);

  const text = typed ?? (payable > 0n ? toCredits(payable) : '');
  const micros = toMicros(text);
  const problem = problemOf(micros, owed, master);
  const { run, busy, error, clear } = useAction(async () => {
    const amount = toCredits(micros ?? 0n);
    await repay({ variables: { amount, idempotencyKey } });
    showToast({ title: words.debtCard.creditsDebtRepaid(showCredits(amount)), kind: 'good' });
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
          {words.debtCard.oweCredits(<span className="num">{showCredits(toCredits(owed))}</span>)}
        </h2>
        <p>{words.debtCard.debtComesFromStorage}</p>
      </div>
      {payable > 0n ? (
        <div className={classes['form']}>
          <TextInput
            label={words.debtCard.repayFromMaster}
            description={words.debtCard.masterHasCredits(showCredits(wallet.master))}
            inputMode="decimal"
            value={text}
            disabled={isReadOnly}
            error={tried ? problem : undefined}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              clear();
              // A changed amount is a new payment and needs a new key.
              setKey(crypto.randomUUID());
            }}
          />
          <Button type="submit" loading={busy} disabled={isReadOnly}>
            {words.debtCard.repay}
          </Button>
        </div>
      ) : (
        <Button onClick={addCredits} disabled={isReadOnly}>
          {words.debtCard.addCredits}
        </Button>
      )}
      <FormError error={error} />
    </form>
  );
}

function problemOf(micros: bigint | undefined, owed: bigint, master: bigint): string | undefined {
  if (micros === undefined || micros <= 0n) return words.debtCard.enterAmountSuchAs;
  if (micros > owed) return words.debtCard.oweCreditsText(showCredits(toCredits(owed)));
  if (micros > master) return words.debtCard.masterHasCredits(showCredits(toCredits(master)));
  return undefined;
}
