import { useQuery } from '@apollo/client/react';
import { useEffect } from 'react';
import { Navigate, useLocation } from 'react-router';
import { ViewerDocument } from '../generated/graphql.js';
import { ErrorState, RoomLoading } from '../parts/States.js';
import { session } from './session.js';
import { Shell } from './Shell.js';
import { ViewerContext } from './viewer.js';

/** The rooms behind the sign-in. Who is not signed in is sent there, and back to the same address afterwards. */
export function SignedIn() {
  const { data, loading, error, refetch } = useQuery(ViewerDocument);
  const { pathname, search } = useLocation();
  const viewer = data?.viewer;

  useEffect(() => {
    if (viewer) session.begin();
  }, [viewer]);

  if (viewer) {
    return (
      <ViewerContext value={viewer}>
        <Shell />
      </ViewerContext>
    );
  }
  if (loading) return <RoomLoading />;
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;

  return <Navigate to={signInAddress(pathname, search)} replace />;
}

/** The link in a verification mail comes back to `/` with `?error=` where it is too old; sign-in tells that. */
function signInAddress(pathname: string, search: string): string {
  const failure = new URLSearchParams(search).get('error');
  if (failure) return `/sign-in?${new URLSearchParams({ error: failure })}`;
  return pathname === '/' || pathname === '/videos'
    ? '/sign-in'
    : `/sign-in?${new URLSearchParams({ next: pathname + search })}`;
}
