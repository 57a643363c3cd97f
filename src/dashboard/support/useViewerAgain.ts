import type { ApolloClient } from '@apollo/client';
import { useEffect, useRef } from 'react';
import { useSessionExpired } from '../app/session.js';

/** What failed because the session had ended is asked for again once somebody has signed in. */
export function useViewerAgain(client: ApolloClient): void {
  const expired = useSessionExpired();
  const wasExpired = useRef(false);
  useEffect(() => {
    if (wasExpired.current && !expired) void client.refetchQueries({ include: 'active' });
    wasExpired.current = expired;
  }, [client, expired]);
}
