import { words } from '#words/auth.js';
import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { Link, useSearchParams } from 'react-router';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { auth } from '../session/authClient.js';
import { AuthFrame } from './AuthFrame.js';
import { CheckYourEmail } from './CheckYourEmail.js';
import { EmailInput } from './EmailInput.js';
import { NewPasswordInput } from './NewPasswordInput.js';

/** The target of a referral link: `/sign-up?ref=CODE`. */
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
      <CheckYourEmail
        email={email.trim()}
        what={words.signUp.what}
        onSendAgain={() => auth.sendVerification(email.trim())}
      />
    );
  }
  return (
    <AuthFrame
      title={words.signUp.title}
      note={words.signUp.note}
      foot={
        <>
          {words.signUp.haveAccount((text) => (
            <Anchor component={Link} to="/sign-in" inherit>
              {text}
            </Anchor>
          ))}
        </>
      }
    >
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={words.signUp.name}
            autoComplete="name"
            required
            withAsterisk={false}
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <EmailInput value={email} onChange={setEmail} />
          <NewPasswordInput label={words.password} value={password} onChange={setPassword} />
          <TextInput
            label={words.signUp.referralCode}
            description={words.signUp.referralNote}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={64}
            value={referralCode}
            onChange={(event) => setReferralCode(event.currentTarget.value)}
          />
          <FormError error={error} />
          <Button type="submit" loading={busy} fullWidth>
            {words.signUp.submit}
          </Button>
        </Stack>
      </form>
    </AuthFrame>
  );
}
