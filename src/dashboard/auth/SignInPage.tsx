import { words } from '#words/auth.js';
import { Alert, Anchor } from '@mantine/core';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { wordsOf } from '../app/words.js';
import { AuthError } from './authClient.js';
import { AuthFrame } from './AuthFrame.js';
import { SignInForm } from './SignInForm.js';

export default function SignInPage() {
  const navigate = useNavigate();
  const [search] = useSearchParams();

  return (
    <AuthFrame
      title={words.signIn.title}
      foot={
        <>
          {words.signIn.newHere((text) => (
            <Anchor component={Link} to="/sign-up" inherit>
              {text}
            </Anchor>
          ))}
        </>
      }
    >
      <LinkNotice failure={search.get('error')} done={search.get('done')} />
      <SignInForm onSignedIn={() => void navigate(pathOf(search.get('next')), { replace: true })} />
    </AuthFrame>
  );
}

/** Only a path of ours: anything else would send people wherever a link's author likes. */
function pathOf(next: string | null): string {
  return next && /^\/(?![/\\])/.test(next) ? next : '/';
}

/** Where a link in a mail brought somebody here: how that went. */
function LinkNotice({ failure, done }: { failure: string | null; done: string | null }) {
  if (done === 'password') {
    return (
      <Alert color="teal" mb="md" role="status" title={words.signIn.passwordSet}>
        {words.signIn.passwordSetNote}
      </Alert>
    );
  }
  if (!failure) return null;
  const { title, advice } = wordsOf(new AuthError(failure.toUpperCase(), ''));
  return (
    <Alert color="yellow" mb="md" role="status" title={title}>
      {failure.toUpperCase() === 'TOKEN_EXPIRED' ? words.signIn.linkExpired : advice}
    </Alert>
  );
}
