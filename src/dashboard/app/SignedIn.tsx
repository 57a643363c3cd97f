import { words } from '#words/parts.js';
import { useQuery } from '@apollo/client/react';
import { Suspense, useEffect, useState, type ReactNode } from 'react';
import { Navigate, Outlet, useLocation, Link } from 'react-router';
import { Button } from '@mantine/core';
import { ViewerDocument, type ViewerFieldsFragment } from '../generated/graphql.js';
import { lazy } from '../lib/lazy.js';
import { ErrorState, PageLoading } from '../parts/States.js';
import { session } from '../session/session.js';
import { Shell } from './Shell.js';
import { knowView } from '../session/view.js';
import { ViewerContext } from '../session/viewer.js';
import { isBusyForVisitors } from '../session/failures.js';
import { Logo } from '../parts/Logo.js';
import classes from './PublicFrame.module.css';

const ViewOverPage = lazy(() => import('./ViewOverPage.js'));
const ClosedPage = lazy(() => import('./ClosedPage.js'));

interface Props {
  /** Public pages: with navigation for signed-in users, without it for others. */
  readonly isOpen?: boolean;
}

/** The pages behind the sign-in. Visitors are sent to the sign-in, and back to the same address afterwards. */
export function SignedIn({ isOpen = false }: Props) {
  const { data, loading, error, refetch } = useQuery(ViewerDocument);
  const { pathname, search } = useLocation();
  const [last, setLast] = useState<ViewerFieldsFragment>();
  // Users stay where they are when the session ends: a dialog asks for the password.
  const viewer = data?.viewer ?? last;
  if (viewer !== last) setLast(viewer);
  if (viewer) knowView(viewer);

  const isSignedIn = data && data.viewer !== null;
  useEffect(() => {
    if (isSignedIn) session.begin();
    else if (isSignedIn === false) session.reportEnded();
  }, [isSignedIn]);

  if (viewer) {
    return (
      <ViewerContext value={viewer}>
        {viewer.view?.isOver ? (
          <Suspense fallback={<PageLoading />}>
            <ViewOverPage accountId={viewer.account.id} email={viewer.email} />
          </Suspense>
        ) : viewer.account.closing && !viewer.view ? (
          <Suspense fallback={<PageLoading />}>
            <ClosedPage eraseAfter={viewer.account.closing.eraseAfter} />
          </Suspense>
        ) : (
          <Shell />
        )}
      </ViewerContext>
    );
  }
  if (loading) return <PageLoading />;
  if (isOpen) {
    return (
      <PublicFrame>
        <Outlet />
      </PublicFrame>
    );
  }
  if (error && isBusyForVisitors(error)) {
    return <Navigate to={signInAddress(pathname, '?error=RATE_LIMIT_EXCEEDED')} replace />;
  }
  if (error) return <ErrorState isPage error={error} onRetry={() => void refetch()} />;

  return <Navigate to={signInAddress(pathname, search)} replace />;
}

/** An expired link of a verification email leads back to `/` with `?error=`; the sign-in page shows that. */
function signInAddress(pathname: string, search: string): string {
  const failure = new URLSearchParams(search).get('error');
  if (failure) return `/sign-in?${new URLSearchParams({ error: failure })}`;
  return pathname === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ next: pathname + search })}`;
}

/** Frame of public pages, for visitors who are not signed in. */
function PublicFrame({ children }: { children: ReactNode }) {
  return (
    <>
      <a className="skip-link" href="#page">
        {words.publicFrame.skipContent}
      </a>
      <header className={classes['head']}>
        <Link to="/sign-in" className={classes['home']} aria-label={words.publicFrame.dharaSign}>
          <Logo size={26} />
        </Link>
        <Button component={Link} to="/sign-in" variant="default" size="xs">
          {words.publicFrame.sign}
        </Button>
      </header>
      <main className={classes['page']} id="page" tabIndex={-1}>
        <Suspense fallback={<PageLoading />}>{children}</Suspense>
      </main>
    </>
  );
}
