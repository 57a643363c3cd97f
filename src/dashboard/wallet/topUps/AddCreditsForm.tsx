import { words } from '#words/wallet.js';
import { useMutation } from '@apollo/client/react';
import { Button, Stack, TextInput } from '@mantine/core';
import { useEffect, useState, type FormEvent } from 'react';
import { CreateTopUpDocument } from '../../generated/graphql.js';
import { minorOf, showMoney, toAmount, toMinor } from '../../lib/amounts.js';
import { Icon } from '../../parts/Icon.js';
import { FormError } from '../../parts/States.js';
import { useAction } from '../../parts/useAction.js';
import classes from './AddCreditsForm.module.css';
import { Conversion } from './Conversion.js';
import { openCheckout } from './openCheckout.js';
import { ProviderChoice } from './ProviderChoice.js';
import { PROVIDER } from './words.js';
import type { Offer } from './offer.js';

const PICKS: Readonly<Record<string, readonly string[]>> = {
  INR: ['500', '1000', '2500', '10000'],
  USD: ['10', '25', '50', '200'],
};

interface Props {
  readonly offers: readonly Offer[];
  /** The bonus of an invited account for its first top-up. */
  readonly bonus: string | null;
}

/** Provider and amount; leads to the pay page. */
export function AddCreditsForm({ offers, bonus }: Props) {
  const [name, setName] = useState(offers.find(({ creditsPerUnit }) => creditsPerUnit !== null)?.name);
  const offer = offers.find((one) => one.name === name) ?? offers[0];
  const picks = PICKS[offer?.currency ?? ''] ?? [];
  const [typed, setTyped] = useState<Partial<Record<string, string>>>({});
  const [tried, setTried] = useState(false);
  // Kept until the pay page is reached, so that a second click after a lost response opens the same top-up.
  const [idempotencyKey, setKey] = useState(() => crypto.randomUUID());
  const [leaving, setLeaving] = useState(false);
  const [create] = useMutation(CreateTopUpDocument);

  const amount = offer ? (typed[offer.currency] ?? picks[1] ?? '') : '';
  const minor = toMinor(amount);
  const problem = offer ? problemOf(minor, offer) : undefined;
  const { run, busy, error, clear } = useAction(async () => {
    if (!offer || minor === undefined) return;
    const { data } = await create({ variables: { provider: offer.name, amount: toAmount(minor), idempotencyKey } });
    if (!data?.createTopUp.checkout) return setKey(crypto.randomUUID());
    setLeaving(true);
    openCheckout(data.createTopUp.checkout);
  });

  // After the browser's back button, the page may be restored in the state in which it was left.
  useEffect(() => {
    const onShow = (): void => {
      setLeaving(false);
      setKey(crypto.randomUUID());
    };
    addEventListener('pageshow', onShow);
    return () => removeEventListener('pageshow', onShow);
  }, []);

  /** Changed values are a new top-up and need a new key. */
  function change(set: () => void): void {
    set();
    clear();
    setTried(false);
    setKey(crypto.randomUUID());
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (!problem) void run();
  }

  if (!offer) return null;
  const { currency, creditsPerUnit, sandbox } = offer;
  const shown = tried || (minor !== undefined && minor > minorOf(offer.maxAmount));
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <ProviderChoice offers={offers} chosen={offer.name} onChoose={(chosen) => change(() => setName(chosen))} />
        <div>
          <TextInput
            label={words.addCreditsForm.amount(currency)}
            description={words.addCreditsForm.acceptsMoreAtMost(
              PROVIDER[offer.name].label,
              showMoney(offer.minAmount, currency, true),
              showMoney(offer.maxAmount, currency, true),
            )}
            inputMode="decimal"
            size="md"
            data-autofocus
            className="num"
            leftSection={currency === 'INR' ? '₹' : '$'}
            value={amount}
            error={shown ? problem : undefined}
            onChange={(event) => {
              const text = event.currentTarget.value;
              change(() => setTyped({ ...typed, [currency]: text }));
            }}
          />
          <div className={classes['picks']} role="group" aria-label={words.addCreditsForm.quickAmounts}>
            {picks.map((pick) => (
              <Button
                key={pick}
                size="xs"
                variant={toMinor(pick) === minor ? 'light' : 'default'}
                aria-pressed={toMinor(pick) === minor}
                onClick={() => change(() => setTyped({ ...typed, [currency]: pick }))}
              >
                {showMoney(pick, currency, true)}
              </Button>
            ))}
          </div>
        </div>
        {creditsPerUnit === null ? null : (
          <Conversion offer={offer} minor={problem === undefined ? minor : undefined} bonus={bonus} />
        )}
        <FormError error={error} />
        <Button
          type="submit"
          size="md"
          loading={busy || leaving}
          disabled={creditsPerUnit === null}
          rightSection={<Icon name="open" size={17} />}
        >
          {minor === undefined || problem
            ? words.addCreditsForm.continuePayment
            : words.addCreditsForm.pay(showMoney(toAmount(minor), currency, true))}
        </Button>
        <p className={classes['small']}>
          {sandbox
            ? words.addCreditsForm.sandboxNoRealMoney
            : words.addCreditsForm.payOnSOwn(PROVIDER[offer.name].label)}
        </p>
      </Stack>
    </form>
  );
}

function problemOf(minor: bigint | undefined, { name, minAmount, maxAmount, currency }: Offer): string | undefined {
  if (minor === undefined) return words.addCreditsForm.enterAmountUpTwo;
  if (minor < minorOf(minAmount)) {
    return words.addCreditsForm.acceptsMore(PROVIDER[name].label, showMoney(minAmount, currency, true));
  }
  if (minor > minorOf(maxAmount)) return words.addCreditsForm.atMostPerPayment(showMoney(maxAmount, currency, true));
  return undefined;
}
