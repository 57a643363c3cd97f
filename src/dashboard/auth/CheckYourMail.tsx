import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { AuthFrame } from './AuthFrame.js';

interface Props {
  readonly email: string;
  /** What to do with the mail. */
  readonly what: string;
  readonly onSendAgain: () => Promise<unknown>;
}

/** The same for an address that has an account and one that has none: only the mail knows. */
export function CheckYourMail({ email, what, onSendAgain }: Props) {
  const [again, setAgain] = useState(false);
  const { run, busy, error } = useAction(async () => {
    await onSendAgain();
    setAgain(true);
  });

  return (
    <AuthFrame
      title="Check your email"
      foot={
        <Anchor component={Link} to="/sign-in" inherit>
          Back to sign-in
        </Anchor>
      }
    >
      <Stack>
        <Text>
          We sent an email to <b>{email}</b>. {what}
        </Text>
        <Text size="sm" c="dimmed">
          Nothing after a minute? Check your spam folder, or send it again.
        </Text>
        <FormError error={error} />
        <Button variant="default" loading={busy} disabled={again} onClick={() => void run()}>
          {again ? 'Sent again' : 'Send again'}
        </Button>
      </Stack>
    </AuthFrame>
  );
}
