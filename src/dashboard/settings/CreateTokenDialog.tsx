import { words as all } from '#words/accessTokens.js';
import { useMutation } from '@apollo/client/react';
import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { SecondFactorFirst } from '../auth/SecondFactorFirst.js';
import { AccessTokensDocument, type AccessTokenScope, CreateAccessTokenDocument } from '../generated/graphql.js';
import { SecretDialog, ShownOnce, useNewSecret } from '../parts/ShownOnce.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';

const words = all.dialog;
const LIFETIMES_DAYS = [30, 90, 365];
const NEVER = 'never';

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function CreateTokenDialog({ opened, onClose }: Props) {
  const { secret, setSecret, close } = useNewSecret(onClose);
  const { shownHeading: heading, shownNote: note, token: label, copied } = words;
  return (
    <SecretDialog opened={opened} title={secret ? words.shownTitle : all.create} isShown={!!secret} onClose={close}>
      {secret ? (
        <ShownOnce secret={secret} words={{ heading, note, label, copied }} onDone={close} />
      ) : (
        <SecondFactorFirst>
          <TokenForm onCreated={setSecret} onCancel={close} />
        </SecondFactorFirst>
      )}
    </SecretDialog>
  );
}

function TokenForm({ onCreated, onCancel }: { onCreated: (token: string) => void; onCancel: () => void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>([]);
  const [lifetime, setLifetime] = useState('90');
  const [createToken] = useMutation(CreateAccessTokenDocument, { refetchQueries: [AccessTokensDocument] });
  const { run, busy, error } = useAction(async () => {
    const { data } = await createToken({
      variables: {
        name: name.trim(),
        scopes: scopes as AccessTokenScope[],
        expiresInDays: lifetime === NEVER ? null : Number(lifetime),
      },
    });
    if (data) onCreated(data.createAccessToken.token);
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={words.name}
          description={words.nameNote}
          placeholder={words.namePlaceholder}
          required
          withAsterisk={false}
          maxLength={100}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Checkbox.Group label={words.scopes} value={['READ', ...scopes]} onChange={(chosen) => setScopes(chosen)}>
          <Stack gap="xs" mt="xs">
            <Checkbox value="READ" label={words.read} description={words.readNote} disabled />
            <Checkbox value="MANAGE" label={words.manage} description={words.manageNote} />
            <Checkbox value="MONEY" label={words.money} description={words.moneyNote} />
          </Stack>
        </Checkbox.Group>
        <NativeSelect
          label={words.expires}
          value={lifetime}
          onChange={(event) => setLifetime(event.currentTarget.value)}
          data={[
            ...LIFETIMES_DAYS.map((days) => ({ value: String(days), label: words.days(days) })),
            { value: NEVER, label: words.never },
          ]}
        />
        <FormError error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {words.cancel}
          </Button>
          <Button type="submit" loading={busy}>
            {words.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
