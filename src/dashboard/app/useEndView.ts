import { useMutation } from '@apollo/client/react';
import { EndOwnerViewDocument } from '../generated/graphql.js';
import { useAction, type Action } from '../parts/useAction.js';
import { leaveFor } from '../session/view.js';

/** Gives the session back to the member of staff, and loads the console: nothing of the owner stays on the page. */
export function useEndView(accountId: string): Action {
  const [endView] = useMutation(EndOwnerViewDocument);
  return useAction(async () => {
    await endView();
    leaveFor(`/support/accounts/${accountId}`);
  });
}
