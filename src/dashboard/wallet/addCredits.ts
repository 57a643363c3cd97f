import { createContext, use } from 'react';

/** Opens the dialog that adds credits; all tabs of the wallet share one. */
export const AddCreditsContext = createContext<() => void>(() => undefined);

export function useAddCredits(): () => void {
  return use(AddCreditsContext);
}
