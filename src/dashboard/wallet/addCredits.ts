import { createContext, use } from 'react';

/** Opens the dialog that adds credits; the wallet page has one for all its pages. */
export const AddCreditsContext = createContext<() => void>(() => undefined);

export function useAddCredits(): () => void {
  return use(AddCreditsContext);
}
