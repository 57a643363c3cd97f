import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { Link, useSearchParams } from 'react-router';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { auth } from './authClient.js';
import { AuthFrame } from './AuthFrame.js';
import { CheckYourMail } from './CheckYourMail.js';
import { NewPasswordInput } from './NewPasswordInput.js';

/** Where the link of a friend leads: `/sign-up?ref=CODE`. */
export default function SignUpPage() {
  const [search] = useSearchParams();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [referralCode, setReferralCode] = useState(search.get('ref') ?? '');
  const [sent, setSent] = useState(false);
  const { run, busy, error } = useAction(async () => {
    await auth.signUp(name.trim(), email.trim(), password, referralCode.trim());
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
        what="Click the link in it to verify your address and sign in."
        onSendAgain={() => auth.sendVerification(email.trim())}
      />
    );
  }
  return (
    <AuthFrame
      title="Create an account"
      note="No subscription: you pay for the minutes you process."
      foot={
        <>
          Already have one?{' '}
          <Anchor component={Link} to="/sign-in" inherit>
            Sign in
          </Anchor>
        </>
      }
    >
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            autoComplete="name"
            required
            withAsterisk={false}
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label="E-mail address"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <NewPasswordInput label="Password" value={password} onChange={setPassword} />
          <TextInput
            label="Referral code (optional)"
            description="Have a referral code? You both earn credits on your first top-up."
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={64}
            value={referralCode}
            onChange={(event) => setReferralCode(event.currentTarget.value)}
          />
          <FormError error={error} />
          <Button type="submit" loading={busy} fullWidth>
            Create account
          </Button>
        </Stack>
      </form>
    </AuthFrame>
  );
}
