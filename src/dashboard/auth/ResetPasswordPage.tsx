import { words } from '#words/auth.js';
import { Anchor, Button, Stack } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { auth, AuthError } from '../session/authClient.js';
import { AuthFrame } from './AuthFrame.js';
import { NewPasswordInput } from './NewPasswordInput.js';

/** The target of the link in a reset email: `/reset-password?token=…`. */
export default function ResetPasswordPage() {
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const token = search.get('token') ?? '';
  const [password, setPassword] = useState('');
  const { run, busy, error } = useAction(async () => {
    await auth.resetPassword(token, password);
    await navigate('/sign-in?done=password', { replace: true });
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  const dead = token === '' || (error instanceof AuthError && ['INVALID_TOKEN', 'TOKEN_EXPIRED'].includes(error.code));
  return (
    <AuthFrame
      title={words.reset.title}
      note={words.reset.note}
      foot={
        <Anchor component={Link} to="/sign-in" inherit>
          {words.backToSignIn}
        </Anchor>
      }
    >
      <form onSubmit={submit}>
        <Stack>
          {dead ? null : <NewPasswordInput label={words.reset.newPassword} value={password} onChange={setPassword} />}
          <FormError error={token === '' ? new AuthError('INVALID_TOKEN', '') : error} />
          {dead ? (
            <Button component={Link} to="/forgot-password" variant="default" fullWidth>
              {words.reset.requestLink}
            </Button>
          ) : (
            <Button type="submit" loading={busy} fullWidth>
              {words.reset.submit}
            </Button>
          )}
        </Stack>
      </form>
    </AuthFrame>
  );
}
