import { useSyncExternalStore } from 'react';

/** Whether the session ended during work. The page then asks for the password in a dialog, so that no input is lost. */
let expired = false;
let signedIn = false;
const listeners = new Set<() => void>();
const resumes = new Set<() => void>();

function set(next: boolean): void {
  expired = next;
  for (const listener of listeners) listener();
}

export const session = {
  /** Called once the viewer is known: only then can a session end. */
  begin(): void {
    signedIn = true;
    if (!expired) return;
    set(false);
    for (const onResume of resumes) onResume();
  },
  reportEnded(): void {
    if (signedIn && !expired) set(true);
  },
  /** Runs each time the user has signed in again. */
  onResume(run: () => void): void {
    resumes.add(run);
  },
  leave(): void {
    signedIn = false;
    set(false);
  },
};

export function useSessionExpired(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => expired,
  );
}
