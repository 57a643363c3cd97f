import { words } from '#words/wallet.js';
import { useMutation } from '@apollo/client/react';
import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useMemo, useState, type FormEvent } from 'react';
import { useIsReadOnly, useViewer } from '../../session/viewer.js';
import {
  BillingDetailsDocument,
  SetBillingDetailsDocument,
  type BillingFieldsFragment,
} from '../../generated/graphql.js';
import { FormError } from '../../parts/States.js';
import { showToast } from '../../parts/toasts.js';
import { useAction } from '../../parts/useAction.js';
import { countries } from './countries.js';
import { gstinProblem, STATES } from './gstin.js';

const MAX_LINES = 6;
const MAX_LINE = 120;
const STATE_CHOICES = Object.entries(STATES).map(([value, label]) => ({ value, label }));
const EMAIL = /^[^\s@]+@[^\s@]+$/;

interface Fields {
  readonly legalName: string;
  readonly address: string;
  readonly country: string;
  readonly stateCode: string;
  readonly gstin: string;
  readonly email: string;
}

/** Name, address and tax number of the buyer. @param saved null until they were given */
export function BillingForm({ saved }: { saved: BillingFieldsFragment | null }) {
  const { email: ownEmail } = useViewer();
  const isReadOnly = useIsReadOnly();
  const kept = fieldsOf(saved);
  const [typed, setTyped] = useState<Partial<Fields>>({});
  const [tried, setTried] = useState(false);
  const [left, setLeft] = useState<ReadonlySet<keyof Fields>>(new Set());
  const [setDetails] = useMutation(SetBillingDetailsDocument, {
    update: (cache, { data }) => {
      if (data) cache.writeQuery({ query: BillingDetailsDocument, data: { billingDetails: data.setBillingDetails } });
    },
  });
  const places = useMemo(() => countries(), []);

  const fields = { ...kept, ...typed };
  const isIndia = fields.country === 'IN';
  const problems = problemsOf(fields);
  const isChanged = Object.entries(typed).some(([name, value]) => kept[name as keyof Fields] !== value);
  const { run, busy, error, clear } = useAction(async () => {
    await setDetails({ variables: { details: detailsOf(fields) } });
    setTyped({});
    setTried(false);
    setLeft(new Set());
    showToast({ title: words.billingForm.billingDetailsSaved, kind: 'good' });
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problems).length === 0) void run();
  }

  /** Shows a field's error only after the field lost the focus. */
  const field = (name: keyof Fields) => ({
    value: fields[name],
    disabled: isReadOnly,
    error: tried || left.has(name) ? problems[name] : undefined,
    onBlur: () => setLeft(new Set([...left, name])),
    onChange: (event: { currentTarget: { value: string } }) => {
      clear();
      setTyped({ ...typed, [name]: event.currentTarget.value });
    },
  });

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label={words.billingForm.legalName}
          autoComplete="organization"
          maxLength={200}
          {...field('legalName')}
        />
        <Textarea
          label={words.billingForm.address}
          description={words.billingForm.asShownOnInvoices}
          autoComplete="street-address"
          autosize
          minRows={3}
          maxRows={MAX_LINES}
          {...field('address')}
        />
        <NativeSelect label={words.billingForm.country} autoComplete="country" data={places} {...field('country')} />
        {isIndia ? (
          <>
            <TextInput
              label={words.billingForm.gstinOptional}
              description={words.billingForm.neededTaxInvoicesCan}
              autoCapitalize="characters"
              spellCheck={false}
              maxLength={18}
              {...field('gstin')}
            />
            {fields.gstin.trim() === '' ? (
              <NativeSelect
                label={words.billingForm.state}
                data={[{ value: '', label: words.billingForm.notSpecified }, ...STATE_CHOICES]}
                {...field('stateCode')}
              />
            ) : null}
          </>
        ) : null}
        <TextInput
          label={words.billingForm.invoiceEmailOptional}
          type="email"
          autoComplete="email"
          placeholder={ownEmail}
          {...field('email')}
        />
        <FormError error={error} />
        <Group>
          <Button type="submit" loading={busy} disabled={isReadOnly || (!isChanged && saved !== null)}>
            {words.billingForm.save}
          </Button>
          {isChanged ? (
            <Button
              variant="default"
              disabled={busy}
              onClick={() => (setTyped({}), setTried(false), setLeft(new Set()))}
            >
              {words.billingForm.reset}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </form>
  );
}

function fieldsOf(saved: BillingFieldsFragment | null): Fields {
  return {
    legalName: saved?.legalName ?? '',
    address: saved?.addressLines.join('\n') ?? '',
    country: saved?.country ?? 'IN',
    stateCode: saved?.stateCode ?? '',
    gstin: saved?.gstin ?? '',
    email: saved?.email ?? '',
  };
}

function detailsOf({ legalName, address, country, stateCode, gstin, email }: Fields) {
  const isIndia = country === 'IN';
  const number = isIndia ? gstin.trim().toUpperCase() : '';
  return {
    legalName: legalName.trim(),
    addressLines: linesOf(address),
    country,
    gstin: number || null,
    // The first two digits of a GSTIN name the state.
    stateCode: isIndia && number === '' && stateCode ? stateCode : null,
    email: email.trim() || null,
  };
}

function problemsOf({ legalName, address, country, gstin, email }: Fields): Partial<Record<keyof Fields, string>> {
  const lines = linesOf(address);
  const number = country === 'IN' && gstin.trim() ? gstinProblem(gstin) : undefined;
  return {
    ...(legalName.trim() ? {} : { legalName: words.billingForm.enterName }),
    ...(lines.length > MAX_LINES ? { address: words.billingForm.atMostLines(MAX_LINES) } : {}),
    ...(lines.some((line) => line.length > MAX_LINE)
      ? { address: words.billingForm.atMostCharactersPer(MAX_LINE) }
      : {}),
    ...(number === undefined ? {} : { gstin: number }),
    ...(email.trim() === '' || EMAIL.test(email.trim()) ? {} : { email: words.billingForm.enterValidEmail }),
  };
}

function linesOf(address: string): string[] {
  return address
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
