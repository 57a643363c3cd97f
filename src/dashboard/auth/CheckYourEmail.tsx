import { words } from '#words/auth.js';
import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { AuthFrame } from './AuthFrame.js';

interface Props {
  readonly email: string;
  /** What to do with the email. */
  readonly what: string;
  readonly onSendAgain: () => Promise<unknown>;
}

/** Looks the same for an address with and without an account: only the email differs. */
export function CheckYourEmail({ email, what, onSendAgain }: Props) {
  const [again, setAgain] = useState(false);
  const { run, busy, error } = useAction(async () => {
    await onSendAgain();
    setAgain(true);
  });

  return (
    <AuthFrame
      title={words.checkEmail.title}
      foot={
        <Anchor component={Link} to="/sign-in" inherit>
          {words.backToSignIn}
        </Anchor>
      }
    >
      <Stack>
        <Text>{words.checkEmail.sent(<b>{email}</b>, what)}</Text>
        <Text size="sm" c="dimmed">
          {words.checkEmail.nothing}
        </Text>
        <FormError error={error} />
        <Button variant="default" loading={busy} disabled={again} onClick={() => void run()}>
          {again ? words.checkEmail.sentAgain : words.checkEmail.sendAgain}
        </Button>
      </Stack>
    </AuthFrame>
  );
}
