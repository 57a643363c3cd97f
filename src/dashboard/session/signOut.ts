import { session } from './session.js';

/** Ends the session by `call`, and loads the sign-in page. */
export async function signOut(call: () => Promise<unknown>): Promise<void> {
  await call();
  session.leave();
  // Load a new page: nothing of this account, such as running uploads, may continue under the next one.
  location.assign('/sign-in');
}
