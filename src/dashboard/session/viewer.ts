import { createContext, use } from 'react';
import type { ViewerFieldsFragment } from '../generated/graphql.js';

export const ViewerContext = createContext<ViewerFieldsFragment | undefined>(undefined);

/** Whether the service refuses every change: the account is suspended, or a member of staff views it. */
export function isReadOnly({ account, view }: ViewerFieldsFragment): boolean {
  return account.suspended || view !== null;
}

export const useIsReadOnly = (): boolean => isReadOnly(useViewer());

/** The signed-in user. Only for pages behind the sign-in. */
export function useViewer(): ViewerFieldsFragment {
  const viewer = use(ViewerContext);
  if (!viewer) throw new Error('useViewer outside of SignedIn');
  return viewer;
}
