import { words } from '#words/wallet.js';
import { Button, TextInput, Title } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useIsReadOnly } from '../../session/viewer.js';
import type { WalletBalancesFragment } from '../../generated/graphql.js';
import { showCredits, toCredits, toMicros } from '../../lib/credits.js';
import { FormError } from '../../parts/States.js';
import { showToast } from '../../parts/toasts.js';
import { useAddCredits } from '../addCredits.js';
import '../buckets.css';
import walletClasses from '../WalletPage.module.css';
import { ACCOUNT, BUCKETS } from '../words.js';
import classes from './AllocateCard.module.css';
import { setShare, totalOf, type BucketKey, type Shares } from './allocation.js';
import { AllocationBar } from './AllocationBar.js';
import { AutomaticSwitch } from './AutomaticSwitch.js';
import { useAllocation } from './useAllocation.js';

type Typed = Readonly<Partial<Record<BucketKey, string | undefined>>>;

/** Allocates credits to the buckets, by dragging or typing; nothing moves until it is saved. */
export function AllocateCard({ wallet }: { wallet: WalletBalancesFragment }) {
  const isReadOnly = useIsReadOnly();
  const addCredits = useAddCredits();
  const { now, draft, moves, busy, error, change, reset, save } = useAllocation(wallet);
  const [typed, setTyped] = useState<Typed>({});
  const isEmpty = totalOf(now) === 0n;
  const disabled = isReadOnly || isEmpty || busy;
  const wrong = BUCKETS.filter(({ key }) => problemOf(key, typed, draft) !== undefined);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (wrong.length > 0 || moves.length === 0) return;
    const count = moves.length;
    if (!(await save())) return;
    setTyped({});
    showToast({
      title: count === 1 ? words.allocateCard.creditsMoved : words.allocateCard.creditsReallocated,
      kind: 'good',
    });
  }

  function type(key: BucketKey, text: string): void {
    const next = { ...typed, [key]: text };
    setTyped(next);
    const micros = toMicros(text);
    const shares = micros === undefined ? undefined : setShare(draft, key, micros);
    if (shares) change(shares);
  }

  return (
    <form
      onSubmit={(event) => void submit(event)}
      noValidate
      className={`panel ${walletClasses['card']}`}
      aria-labelledby="allocate-title"
    >
      <div>
        <Title order={2} id="allocate-title">
          {words.allocateCard.allocate}
        </Title>
        <p className={walletClasses['note']}>
          {isEmpty ? words.allocateCard.onceHaveCreditsAllocate : words.allocateCard.dragEdgesEnterAmount}
        </p>
      </div>
      <AllocationBar
        shares={draft}
        disabled={disabled}
        onChange={(shares) => {
          setTyped({});
          change(shares);
        }}
      />
      <div className={`${classes['fields']} num`}>
        {BUCKETS.map(({ key, label }) =>
          key === 'master' ? (
            <div key={key} className={classes['rest']}>
              <span>
                <i data-bucket={key} aria-hidden="true" />
                {label}
              </span>
              <output aria-label={words.allocateCard.leftMaster}>{showCredits(toCredits(draft.master))}</output>
              <Change now={now.master} then={draft.master} />
            </div>
          ) : (
            <div key={key}>
              <TextInput
                label={
                  <>
                    <i data-bucket={key} aria-hidden="true" />
                    {label}
                  </>
                }
                inputMode="decimal"
                disabled={disabled}
                value={typed[key] ?? toCredits(draft[key])}
                error={problemOf(key, typed, draft)}
                onChange={(event) => type(key, event.currentTarget.value)}
                onBlur={() => {
                  // Normalize the input: "12.50" becomes "12.5".
                  if (problemOf(key, typed, draft) === undefined) setTyped({ ...typed, [key]: undefined });
                }}
              />
              <Change now={now[key]} then={draft[key]} />
            </div>
          ),
        )}
      </div>
      {isEmpty ? (
        <div>
          <Button variant="default" onClick={addCredits} disabled={isReadOnly}>
            {words.allocateCard.addCredits}
          </Button>
        </div>
      ) : null}
      {moves.length > 0 ? (
        <div className={classes['foot']}>
          <ul className="num">
            {moves.map(({ from, to, micros }) => (
              <li key={`${from}-${to}`}>
                {words.allocateCard.from(showCredits(toCredits(micros)), ACCOUNT[from], ACCOUNT[to])}
              </li>
            ))}
          </ul>
          <div className={classes['buttons']}>
            <Button
              variant="default"
              disabled={busy}
              onClick={() => {
                setTyped({});
                reset();
              }}
            >
              {words.allocateCard.reset}
            </Button>
            <Button type="submit" loading={busy} disabled={wrong.length > 0}>
              {words.allocateCard.moveCredits}
            </Button>
          </div>
        </div>
      ) : null}
      <FormError error={error} />
      <AutomaticSwitch bucket={'CREATIVE'} wallet={wallet} />
    </form>
  );
}

/** How much the draft adds to a bucket or takes from it. */
function Change({ now, then }: { now: bigint; then: bigint }) {
  const change = then - now;
  return (
    <small className={classes['change']} data-way={change > 0n ? 'up' : change < 0n ? 'down' : undefined}>
      {change === 0n ? words.allocateCard.noChange : `${change > 0n ? '+' : ''}${showCredits(toCredits(change))}`}
    </small>
  );
}

function problemOf(key: BucketKey, typed: Typed, draft: Shares): string | undefined {
  const text = typed[key];
  if (text === undefined) return undefined;
  const micros = toMicros(text);
  if (micros === undefined || micros < 0n) return words.allocateCard.enterAmountSuchAs;
  if (micros !== draft[key] && !setShare(draft, key, micros)) {
    return words.allocateCard.atMost(showCredits(toCredits(draft[key] + draft.master)));
  }
  return undefined;
}
