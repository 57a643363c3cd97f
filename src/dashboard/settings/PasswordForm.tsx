import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { auth } from '../auth/authClient.js';
import { NewPasswordInput } from '../auth/NewPasswordInput.js';
import { FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';

export function PasswordForm() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const { run, busy, error } = useAction(async () => {
    await auth.changePassword(current, next);
    setCurrent('');
    setNext('');
    showToast({ kind: 'good', title: 'Password changed', message: 'Every other session has ended.' });
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <form onSubmit={submit}>
      <Stack maw={400}>
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <NewPasswordInput label="New password" value={next} onChange={setNext} />
        <FormError error={error} />
        <Group>
          <Button type="submit" variant="default" loading={busy}>
            Change password
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
