import { words } from '#words/wallet.js';
import { useMutation } from '@apollo/client/react';
import { Button, Switch, TextInput, Title } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useIsReadOnly } from '../../session/viewer.js';
import { SetLowBalanceWarningDocument } from '../../generated/graphql.js';
import { toCredits, toMicros } from '../../lib/credits.js';
import { FormError } from '../../parts/States.js';
import { showToast } from '../../parts/toasts.js';
import { useAction } from '../../parts/useAction.js';
import classes from '../WalletPage.module.css';

const USUAL = '50';

/** The balance below which an email warns. @param current null for never */
export function WarningCard({ current }: { current: string | null }) {
  const isReadOnly = useIsReadOnly();
  const [typed, setTyped] = useState<string>();
  const [isOn, setOn] = useState<boolean>();
  const [tried, setTried] = useState(false);
  const [setWarning] = useMutation(SetLowBalanceWarningDocument);

  const wanted = isOn ?? current !== null;
  const text = typed ?? current ?? USUAL;
  const micros = toMicros(text);
  const problem = wanted && (micros === undefined || micros <= 0n) ? words.warningCard.enterAmountSuchAs : undefined;
  const next = wanted ? toCredits(micros ?? 0n) : null;
  const isChanged = next !== current;
  const { run, busy, error, clear } = useAction(async () => {
    await setWarning({ variables: { credits: next } });
    setTyped(undefined);
    setOn(undefined);
    setTried(false);
    showToast({ title: next === null ? words.warningCard.alertTurnedOff : words.warningCard.alertSaved, kind: 'good' });
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (!problem) void run();
  }

  return (
    <form onSubmit={submit} noValidate className={`panel ${classes['card']}`} aria-labelledby="warning-title">
      <div>
        <Title order={2} id="warning-title">
          {words.warningCard.lowBalance}
        </Title>
        <p className={classes['note']}>{words.warningCard.weEmailOnceEach}</p>
      </div>
      <Switch
        label={words.warningCard.emailMe}
        checked={wanted}
        disabled={isReadOnly}
        onChange={(event) => (clear(), setOn(event.currentTarget.checked))}
      />
      {wanted ? (
        <TextInput
          label={words.warningCard.belowCredits}
          inputMode="decimal"
          disabled={isReadOnly}
          value={text}
          error={tried ? problem : undefined}
          onChange={(event) => (clear(), setTyped(event.currentTarget.value))}
        />
      ) : null}
      {isChanged ? (
        <div>
          <Button type="submit" variant="default" loading={busy} disabled={isReadOnly}>
            {words.warningCard.save}
          </Button>
        </div>
      ) : null}
      <FormError error={error} />
    </form>
  );
}
