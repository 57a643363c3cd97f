/** SQL for a select list: tells the subscribers of an account that a video changed, when the transaction commits. */
export function notifyVideo(accountId: string, videoId: string): string {
  return `pg_notify('dhara_events', json_build_object('kind', 'video', 'accountId', ${accountId}, 'videoId', ${videoId})::text)`;
}

/** SQL for a select list: tells the subscribers of an account that its wallet changed, when the transaction commits. */
export function notifyWallet(accountId: string): string {
  return `pg_notify('dhara_events', json_build_object('kind', 'wallet', 'accountId', ${accountId})::text)`;
}
