import { settledCostsOf } from '../../ledger/escrow.js';

/** The orders of /v1. */
export type VideoSort = '-createdAt' | 'createdAt' | 'title';
/** The orders of the dashboard. All but those of `RANKS` are a walk of one index, in one direction or the other. */
export type OwnerVideoSort = VideoSort | '-title' | 'length' | '-length' | 'plays' | '-plays' | 'cost' | '-cost';

/** SQL for one order of a video `v`. */
interface Sort {
  readonly key: string;
  readonly type: 'timestamptz' | 'text' | 'bigint';
  readonly order: string;
  readonly beyond: '<' | '>';
  readonly join?: (accountId: string) => string;
}

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
const RANKS = {
  plays: { key: KEY, type: 'bigint', join: (accountId: string) => joined(playsOf(accountId)) },
  cost: { key: KEY, type: 'bigint', join: (accountId: string) => joined(settledCostsOf(accountId)) },
} as const;

const ranked = (by: keyof typeof RANKS, direction: 'up' | 'down'): Sort => ({
  ...RANKS[by],
  ...(direction === 'up'
    ? { order: `${RANKS[by].key}, v.id`, beyond: '>' }
    : { order: `${RANKS[by].key} desc, v.id desc`, beyond: '<' }),
});

const LENGTH = 'coalesce(v.duration_ms, 0)';

export const SORTS: Readonly<Record<OwnerVideoSort, Sort>> = {
  '-createdAt': { key: 'v.created_at', type: 'timestamptz', order: 'v.created_at desc, v.id desc', beyond: '<' },
  createdAt: { key: 'v.created_at', type: 'timestamptz', order: 'v.created_at, v.id', beyond: '>' },
  title: { key: 'lower(v.title) collate "C"', type: 'text', order: 'lower(v.title) collate "C", v.id', beyond: '>' },
  '-title': {
    key: 'lower(v.title) collate "C"',
    type: 'text',
    order: 'lower(v.title) collate "C" desc, v.id desc',
    beyond: '<',
  },
  // Not measured yet: no length.
  length: { key: LENGTH, type: 'bigint', order: `${LENGTH}, v.id`, beyond: '>' },
  '-length': { key: LENGTH, type: 'bigint', order: `${LENGTH} desc, v.id desc`, beyond: '<' },
  plays: ranked('plays', 'up'),
  '-plays': ranked('plays', 'down'),
  cost: ranked('cost', 'up'),
  '-cost': ranked('cost', 'down'),
};
