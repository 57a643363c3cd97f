import { words } from '#words/signIn.js';
import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { Link } from 'react-router';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { auth } from '../session/authClient.js';
import { CodeForm } from './CodeForm.js';

interface Props {
  /** Set if it is known who should sign in. */
  readonly email?: string;
  readonly onSignedIn: () => void;
}

/** Email and password, then the code if the account requires one. */
export function SignInForm({ email: known, onSignedIn }: Props) {
  const [email, setEmail] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const [codeAsked, setCodeAsked] = useState(false);
  const { run, busy, error } = useAction(async () => {
    if (await auth.signIn(email.trim(), password)) setCodeAsked(true);
    else onSignedIn();
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  if (codeAsked) return <CodeForm onSignedIn={onSignedIn} onStartOver={() => setCodeAsked(false)} />;

  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={words.emailAddress}
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          readOnly={known !== undefined}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label={words.password}
          name="password"
          autoComplete="current-password"
          data-autofocus={known === undefined ? undefined : true}
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <FormError error={error} />
        <Button type="submit" loading={busy} fullWidth>
          {words.submit}
        </Button>
        <Anchor component={Link} to="/forgot-password" size="sm" ta="center">
          {words.forgot}
        </Anchor>
      </Stack>
    </form>
  );
}
