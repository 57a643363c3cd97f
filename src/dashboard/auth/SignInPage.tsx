import { words } from '#words/auth.js';
import { Alert, Anchor } from '@mantine/core';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { wordsOf } from '../session/failures.js';
import { AuthError } from '../session/authClient.js';
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

/** Accepts only a path of this site, so that a link cannot redirect elsewhere. */
function pathOf(next: string | null): string {
  return next && /^\/(?![/\\])/.test(next) ? next : '/';
}

/** The result of the link in an email that led here. */
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
