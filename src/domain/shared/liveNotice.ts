/** SQL for a select list: notifies the account's subscribers of a changed video when the transaction commits. */
export function notifyVideo(accountId: string, videoId: string): string {
  return `pg_notify('dhara_events', json_build_object('kind', 'video', 'accountId', ${accountId}, 'videoId', ${videoId})::text)`;
}

/** SQL for a select list: notifies the account's subscribers of a changed wallet when the transaction commits. */
export function notifyWallet(accountId: string): string {
  return `pg_notify('dhara_events', json_build_object('kind', 'wallet', 'accountId', ${accountId})::text)`;
}
