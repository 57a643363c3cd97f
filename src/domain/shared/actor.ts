import { AsyncLocalStorage } from 'node:async_hooks';

/** Who changes something: ids only, because names change and are erased. */
export type ActorKind = 'owner' | 'access_token' | 'api_key' | 'support' | 'service';

/** Who sent the request that runs. */
export interface Sender {
  readonly accountId: string;
  readonly userId: string;
  readonly accessToken: { readonly id: string } | null;
}

const senders = new AsyncLocalStorage<Sender>();

/**
 * Runs what a request asks for. What it changes is recorded as its sender's, however deep in the services it is written.
 */
export function actAs<Result>(sender: Sender | null, run: () => Result): Result {
  return sender === null ? run() : senders.run(sender, run);
}

/** Who is changing something of this account: `service` outside requests, as in workers. */
export function actorFor(accountId: string): { readonly actor: ActorKind; readonly actorId: string | null } {
  const sender = senders.getStore();
  if (sender === undefined) return { actor: 'service', actorId: null };
  // Only staff reach another account. Its owner is not told who of them it was.
  if (sender.accountId !== accountId) return { actor: 'support', actorId: null };
  if (sender.accessToken !== null) return { actor: 'access_token', actorId: sender.accessToken.id };
  return { actor: 'owner', actorId: sender.userId };
}
