import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { Link } from 'react-router';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { auth } from './authClient.js';
import { AuthFrame } from './AuthFrame.js';
import { CheckYourMail } from './CheckYourMail.js';

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
      <CheckYourMail
        email={email.trim()}
        what="If it belongs to an account, it has a link that sets a new password."
        onSendAgain={() => auth.requestPasswordReset(email.trim())}
      />
    );
  }
  return (
    <AuthFrame
      title="Forgot your password?"
      note="We send you a link that sets a new one."
      foot={
        <Anchor component={Link} to="/sign-in" inherit>
          Back to sign-in
        </Anchor>
      }
    >
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="E-mail address"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <FormError error={error} />
          <Button type="submit" loading={busy} fullWidth>
            Send the link
          </Button>
        </Stack>
      </form>
    </AuthFrame>
  );
}
