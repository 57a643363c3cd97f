import { settledCostsOf } from '../../ledger/escrow.js';

/** Plays of each video of an account in the last 30 days with today (UTC), as the lists show them. */
const playsOf = (accountId: string): string => `
    select p.video_id, sum(p.plays)::bigint as value
    from (select date_trunc('day', service_now()) as today offset 0) d
      join playback_day p on p.account_id = ${accountId} and p.dimension = 'all'
        and p.starts_at > d.today - interval '30 days' and p.starts_at <= d.today
    group by p.video_id`;

const KEY = 'coalesce(ranked.value, 0)';

/** The join that adds `ranked` to a video `v` of an account. */
function joined(values: string): string {
  return `left join (${values}) ranked on ranked.video_id = v.id`;
}

/**
 * Orders by numbers that change with each play and each job, so no index keeps them: a page sums them up for all videos of
 * the account, and of no other. That is an index walk over its days with plays, or over its purchases.
 *
 * @param accountId SQL
 */
export const RANKS = {
  plays: { key: KEY, type: 'bigint', join: (accountId: string) => joined(playsOf(accountId)) },
  cost: { key: KEY, type: 'bigint', join: (accountId: string) => joined(settledCostsOf(accountId)) },
} as const;
