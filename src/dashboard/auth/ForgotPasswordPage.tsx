import { words } from '#words/auth.js';
import { Anchor, Button, Stack } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { Link } from 'react-router';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { auth } from '../session/authClient.js';
import { AuthFrame } from './AuthFrame.js';
import { CheckYourEmail } from './CheckYourEmail.js';
import { EmailInput } from './EmailInput.js';

export default function ForgotPasswordPage() {
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);
  const { run, busy, error } = useAction(async () => {
    await auth.requestPasswordReset(email.trim());
    setSent(true);
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  if (sent) {
    return (
      <CheckYourEmail
        email={email.trim()}
        what={words.forgot.what}
        onSendAgain={() => auth.requestPasswordReset(email.trim())}
      />
    );
  }
  return (
    <AuthFrame
      title={words.forgot.title}
      note={words.forgot.note}
      foot={
        <Anchor component={Link} to="/sign-in" inherit>
          {words.backToSignIn}
        </Anchor>
      }
    >
      <form onSubmit={submit}>
        <Stack>
          <EmailInput value={email} onChange={setEmail} />
          <FormError error={error} />
          <Button type="submit" loading={busy} fullWidth>
            {words.forgot.submit}
          </Button>
        </Stack>
      </form>
    </AuthFrame>
  );
}
