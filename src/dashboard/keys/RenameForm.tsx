import { words } from '#words/keys.js';
import { useMutation } from '@apollo/client/react';
import { Button, Group, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { lineOf } from '../session/failures.js';
import { RenameApiKeyDocument, type ApiKeyFieldsFragment } from '../generated/graphql.js';
import { useAction } from '../parts/useAction.js';

export function RenameForm({ apiKey, onDone }: { apiKey: ApiKeyFieldsFragment; onDone: () => void }) {
  const [rename] = useMutation(RenameApiKeyDocument);
  const [name, setName] = useState(apiKey.name);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const { run, busy, error } = useAction(async () => {
    await rename({ variables: { id: apiKey.id, name: name.trim() } });
    onDone();
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-start">
        <TextInput
          ref={input}
          aria-label={words.rename.name}
          size="xs"
          required
          maxLength={100}
          value={name}
          error={error ? lineOf(error) : null}
          onChange={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onDone();
          }}
        />
        <Button type="submit" size="xs" loading={busy}>
          {words.rename.save}
        </Button>
        <Button size="xs" variant="default" onClick={onDone}>
          {words.rename.cancel}
        </Button>
      </Group>
    </form>
  );
}
