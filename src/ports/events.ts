/** Something the dashboard shows live has changed. Carries ids only: the subscriber reads what it may see. */
export type LiveEvent =
  | { readonly kind: 'video'; readonly accountId: string; readonly videoId: string }
  | { readonly kind: 'wallet'; readonly accountId: string };

/** Live events of all processes, fed by `pg_notify('dhara_events', json)` in the statement that makes the change. */
export interface LiveEvents {
  subscribe(accountId: string, signal: AbortSignal): AsyncIterable<LiveEvent>;
}
