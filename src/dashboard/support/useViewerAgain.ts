import type { ApolloClient } from '@apollo/client';
import { useEffect, useRef } from 'react';
import { useSessionExpired } from '../app/session.js';

/** Refetches what failed because the session had ended, once the user has signed in again. */
export function useViewerAgain(client: ApolloClient): void {
  const expired = useSessionExpired();
  const wasExpired = useRef(false);
  useEffect(() => {
    if (wasExpired.current && !expired) void client.refetchQueries({ include: 'active' });
    wasExpired.current = expired;
  }, [client, expired]);
}
