import { words } from '#words/supportAccount.js';
import { showNumber } from '../../lib/format.js';
import { useMutation } from '@apollo/client/react';
import { Button, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { isCode } from '../../session/failures.js';
import {
  StaffAuditLogDocument,
  StaffProposeQuotaDocument,
  StaffRequestsDocument,
  StaffSetQuotaDocument,
  StaffWaitingDocument,
  type StaffKeyFragment,
} from '../../generated/graphql.js';
import { announce } from '../../parts/Announcer.js';
import { Icon } from '../../parts/Icon.js';
import { FormError } from '../../parts/States.js';
import { useAction } from '../../parts/useAction.js';
import classes from '../parts/console.module.css';
import keys from './KeysPanel.module.css';

const MAX_QUOTA = 2_147_483_647;
const FACTORS = [2, 5, 10] as const;

/** Changes a quota quickly: a number, a reason, Enter. */
export function QuotaForm({ accountId, apiKey }: { accountId: string; apiKey: StaffKeyFragment }) {
  const [quota, setQuota] = useState('');
  const [reason, setReason] = useState('');
  const [tried, setTried] = useState(false);
  const [acted, setActed] = useState<string>();
  const [setDailyQuota] = useMutation(StaffSetQuotaDocument, { refetchQueries: [StaffAuditLogDocument] });
  const [propose] = useMutation(StaffProposeQuotaDocument, {
    refetchQueries: [StaffAuditLogDocument, StaffRequestsDocument, StaffWaitingDocument],
  });

  const wanted = wholeNumber(quota);
  const problem = wanted === undefined ? words.quotaForm.enterWholeNumberSuch : undefined;
  const { run, busy, error, clear } = useAction(async () => {
    const from = apiKey.dailyQuota;
    const variables = { accountId, apiKeyId: apiKey.id, dailyQuota: wanted ?? 0, reason: reason.trim() };
    const isSet = await setDailyQuota({ variables }).then(
      () => true,
      async (failure: unknown) => {
        if (!isCode(failure, 'APPROVAL_REQUIRED')) throw failure;
        await propose({ variables: { ...variables, idempotencyKey: crypto.randomUUID() } });
        return false;
      },
    );
    const done = isSet
      ? words.quotaForm.fromPerDayEffective(showNumber(from), showNumber(wanted ?? 0))
      : words.quotaForm.secondPersonMustApprove;
    setActed(done);
    announce(done);
    setQuota('');
    setReason('');
    setTried(false);
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (!problem && reason.trim()) void run();
  }

  function change(set: () => void): void {
    set();
    clear();
    setActed(undefined);
  }

  return (
    <form onSubmit={submit} noValidate aria-label={words.quotaForm.dailyQuota(apiKey.name)}>
      <div className={keys['quota']}>
        <TextInput
          label={words.quotaForm.dailyQuotaLabel}
          inputMode="numeric"
          placeholder={showNumber(apiKey.dailyQuota)}
          value={quota}
          error={tried && problem}
          onChange={(event) => {
            const next = event.currentTarget.value;
            change(() => setQuota(next));
          }}
        />
        <TextInput
          label={words.quotaForm.reason}
          placeholder={words.quotaForm.launchOnFriday}
          maxLength={1000}
          value={reason}
          error={tried && !reason.trim() ? words.quotaForm.enterReasonAuditTrail : null}
          onChange={(event) => {
            const next = event.currentTarget.value;
            change(() => setReason(next));
          }}
        />
        <Button type="submit" loading={busy}>
          {words.quotaForm.setQuota}
        </Button>
      </div>
      <div className={keys['presets']} style={{ marginTop: 8 }}>
        {FACTORS.map((factor) => (
          <Button
            key={factor}
            size="compact-xs"
            variant="default"
            disabled={apiKey.dailyQuota === 0 || apiKey.dailyQuota * factor > MAX_QUOTA}
            onClick={() => change(() => setQuota(showNumber(apiKey.dailyQuota * factor)))}
          >
            × {factor}
          </Button>
        ))}
        {acted ? (
          <span className={`${keys['acted']} num`}>
            <Icon name="check" size={17} />
            {acted}
          </span>
        ) : (
          <span className={classes['soft']}>{words.quotaForm.effectiveImmediately}</span>
        )}
      </div>
      <FormError error={error} />
    </form>
  );
}

/** The number in "5,000" or "5000"; undefined if it is invalid, or above the maximum quota. */
function wholeNumber(text: string): number | undefined {
  const digits = text.trim().replaceAll(/[, ]/g, '');
  if (!/^\d{1,10}$/.test(digits)) return undefined;
  const number = Number(digits);
  return number <= MAX_QUOTA ? number : undefined;
}
