/** Something shown live on the dashboard has changed. Carries only ids: the subscriber reads what it may see. */
export type LiveEvent =
  | { readonly kind: 'video'; readonly accountId: string; readonly videoId: string }
  | { readonly kind: 'wallet'; readonly accountId: string }
  /** Something was appended to the account's event log. */
  | { readonly kind: 'event'; readonly accountId: string }
  /** Events may have been lost, for example with a connection. Everything shown must be read again. */
  | { readonly kind: 'missed'; readonly accountId: string };

/** Live events of all processes, sent by `pg_notify('dhara_events', json)` in the statement that makes the change. */
export interface LiveEvents {
  /**
   * The account's events from now on, until `signal` aborts or the service stops. A slow reader loses none: equal
   * events are merged, and too many different ones become `missed`.
   */
  subscribe(accountId: string, signal: AbortSignal): AsyncIterable<LiveEvent>;
}
