import { words } from '#words/settings.js';
import { Button, Group, Stack } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { auth } from '../session/authClient.js';
import { CurrentPasswordInput } from '../auth/CurrentPasswordInput.js';
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
    showToast({ kind: 'good', title: words.password.changed, message: words.password.changedNote });
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  return (
    <form onSubmit={submit}>
      <Stack maw={400}>
        <CurrentPasswordInput label={words.password.current} value={current} onChange={setCurrent} />
        <NewPasswordInput label={words.password.new} value={next} onChange={setNext} />
        <FormError error={error} />
        <Group>
          <Button type="submit" variant="default" loading={busy}>
            {words.password.submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
