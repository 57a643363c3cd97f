import { appendEventSql } from '../../shared/events/appendEvent.js';
import type { EventData } from '../../shared/events/eventTypes.js';

/** The share of a daily quota at which `quota.warning` is written. */
const WARNING_PERCENT = 80;

/**
 * SQL for the RETURNING of every statement that counts tokens of a key or changes its quota: writes `quota.warning` and
 * `quota.reached` if the statement crossed them. A quota of 0 is never crossed.
 *
 * While nothing is crossed, this compares two numbers. The caller holds the key's row, so nobody else can write the same
 * fact meanwhile, and no writer waits for another.
 *
 * @param key the alias of `api_key`
 * @param before SQL for the tokens counted before, on the same day and under the same quota. `0` if the day or the
 *   quota is new: the fact then keeps each event from being written twice.
 */
export function quotaEventsSql(key: string, before: string): string {
  const has = (tokens: string, percent: number): string =>
    `(${tokens})::bigint * 100 >= ${key}.daily_limit::bigint * ${percent}`;
  const event = {
    accountId: `${key}.account_id`,
    fact: `${key}.id || ':' || ${key}.usage_day || ':' || ${key}.daily_limit`,
    data: {
      keyId: `${key}.id`,
      name: `${key}.name`,
      day: `${key}.usage_day`,
      dailyQuota: `${key}.daily_limit`,
      used: `${key}.used`,
    } satisfies Record<keyof EventData<'quota.warning'>, string>,
  };
  return `case when ${has(`${key}.used`, WARNING_PERCENT)} and not ${has(before, 100)} then array[
    case when not ${has(before, WARNING_PERCENT)} then ${appendEventSql('quota.warning', event)} end,
    case when ${has(`${key}.used`, 100)} then ${appendEventSql('quota.reached', event)} end] end`;
}
