/** The variables of the query for what this month has cost so far, in UTC. Home's first response includes it. */
export function monthToDate(): { from: string; to: string; by: 'MONTH' } {
  const to = new Date().toISOString().slice(0, 10);
  return { from: `${to.slice(0, 8)}01`, to, by: 'MONTH' };
}
