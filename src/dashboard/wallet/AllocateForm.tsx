import { useMutation } from '@apollo/client/react';
import { Button, NativeSelect, TextInput, Title } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import {
  AllocateCreditsDocument,
  LedgerEntriesDocument,
  type Bucket,
  type WalletBalancesFragment,
} from '../generated/graphql.js';
import { microsOf, showCredits, toCredits, toMicros } from '../lib/credits.js';
import { announce } from '../parts/Announcer.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import classes from './WalletRoom.module.css';
import { BUCKETS } from './words.js';

/** Moves credits between MASTER and the buckets. */
export function AllocateForm({ wallet }: { wallet: WalletBalancesFragment }) {
  const [from, setFrom] = useState<Bucket>('MASTER');
  const [to, setTo] = useState<Bucket>('CREATIVE');
  const [amount, setAmount] = useState('');
  const [tried, setTried] = useState(false);
  // Kept until it worked: a second click after a lost answer moves the credits once.
  const [idempotencyKey, setKey] = useState(() => crypto.randomUUID());
  const [allocate] = useMutation(AllocateCreditsDocument, { refetchQueries: [LedgerEntriesDocument] });

  const balances = { MASTER: wallet.master, CREATIVE: wallet.creative, CLOUD: wallet.cloud, AI: wallet.ai };
  const micros = toMicros(amount);
  const problem = problemOf(micros, from, to, microsOf(balances[from]));
  const { run, busy, error, clear } = useAction(async () => {
    await allocate({ variables: { from, to, amount: toCredits(micros ?? 0n), idempotencyKey } });
    announce(`${amount} credits moved.`);
    setKey(crypto.randomUUID());
    setAmount('');
    setTried(false);
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (!problem) void run();
  }

  /** Other values are another wish: the key of the last one must not speak for it. */
  function change(set: () => void): void {
    set();
    clear();
    setKey(crypto.randomUUID());
  }

  const choices = BUCKETS.map(({ value, label }) => ({ value, label: `${label} (${showCredits(balances[value])})` }));
  return (
    <form onSubmit={submit} noValidate className={`panel ${classes['card']}`} aria-labelledby="move-title">
      <Title order={2} id="move-title">
        Move credits
      </Title>
      <div className={classes['fields']}>
        <NativeSelect
          label="From"
          value={from}
          data={choices}
          onChange={(event) => {
            const next = event.currentTarget.value as Bucket;
            // Credits move between MASTER and one bucket.
            change(() => (setFrom(next), setTo(next === 'MASTER' ? 'CREATIVE' : 'MASTER')));
          }}
        />
        <NativeSelect
          label="To"
          value={to}
          data={choices.filter(({ value }) => (from === 'MASTER' ? value !== 'MASTER' : value === 'MASTER'))}
          onChange={(event) => {
            const next = event.currentTarget.value as Bucket;
            change(() => setTo(next));
          }}
        />
        <TextInput
          label="Credits"
          inputMode="decimal"
          placeholder="100"
          value={amount}
          error={tried ? problem : undefined}
          onChange={(event) => {
            const next = event.currentTarget.value;
            change(() => setAmount(next));
          }}
        />
        <Button type="submit" loading={busy} mt={25}>
          Move
        </Button>
      </div>
      <FormError error={error} />
    </form>
  );
}

function problemOf(micros: bigint | undefined, from: Bucket, to: Bucket, available: bigint): string | undefined {
  if (from === to) return 'Choose two different buckets.';
  if (micros === undefined || micros <= 0n) return 'Enter an amount such as 12.5.';
  if (micros > available) return `There are ${showCredits(toCredits(available))} credits.`;
  return undefined;
}
