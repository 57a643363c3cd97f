import { words } from '#words/supportTotals.js';
import { useQuery } from '@apollo/client/react';
import { Badge, Skeleton, Title } from '@mantine/core';
import { StaffQueuesDocument, type StaffQueuesQuery } from '../../generated/graphql.js';
import { showNumber } from '../../lib/format.js';
import { ErrorState } from '../../parts/States.js';
import console from '../parts/console.module.css';
import classes from './Totals.module.css';

const POLL_MS = 10_000;

type Queue = StaffQueuesQuery['queueAges'][number];

/** What waits for workers, and whether it has waited so long that operators are alerted. */
export function QueuesCard() {
  const { data, error, refetch } = useQuery(StaffQueuesDocument, {
    pollInterval: POLL_MS,
    skipPollAttempt: () => document.hidden,
  });
  const queues = data?.queueAges;
  return (
    <section className={`panel ${console['card']}`} aria-labelledby="queues-title">
      <div className={console['cardHead']}>
        <Title order={2} id="queues-title">
          {words.queues.title}
        </Title>
        {queues ? <Verdict late={queues.filter(isLate).length} /> : null}
      </div>
      {queues ? <Queues queues={queues} /> : null}
      {!queues && error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!queues && !error ? (
        <Skeleton height={260} role="status" aria-busy="true" aria-label={words.queues.loading} />
      ) : null}
    </section>
  );
}

function Verdict({ late }: { late: number }) {
  return (
    <Badge color={late === 0 ? 'teal' : 'red'} tt="none">
      {late === 0 ? words.queues.allInTime : words.queues.someLate(late)}
    </Badge>
  );
}

function Queues({ queues }: { queues: readonly Queue[] }) {
  return (
    <table className={`${classes['queues']} num`} aria-labelledby="queues-title">
      <thead>
        <tr>
          <th scope="col">{words.queues.kind}</th>
          <th scope="col">{words.queues.waiting}</th>
          <th scope="col">{words.queues.oldest}</th>
          <th scope="col">{words.queues.running}</th>
          <th scope="col">{words.queues.failed}</th>
        </tr>
      </thead>
      <tbody>
        {queues.map((queue) => (
          <tr key={queue.kind}>
            <th scope="row">
              {words.queues.kinds[queue.kind] ?? queue.kind}
              {queue.lateAfterSeconds === null ? null : (
                <small>{words.queues.alertAfter(showWait(queue.lateAfterSeconds))}</small>
              )}
            </th>
            <td>{showCount(queue.waiting)}</td>
            <td data-late={isLate(queue) || undefined}>
              {queue.oldestSeconds === 0 ? words.queues.none : showWait(queue.oldestSeconds)}
              {isLate(queue) ? <small>{words.queues.late}</small> : null}
            </td>
            <td>{showCount(queue.running)}</td>
            <td>{showCount(queue.failed)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function isLate({ oldestSeconds, lateAfterSeconds }: Queue): boolean {
  return lateAfterSeconds !== null && oldestSeconds > lateAfterSeconds;
}

function showCount(count: number | null): string {
  return count === null ? words.queues.none : showNumber(count);
}

/** Rounded down, so that nothing seems older than it is. */
function showWait(seconds: number): string {
  if (seconds < 120) return words.queues.seconds(Math.floor(seconds));
  if (seconds < 7_200) return words.queues.minutes(Math.floor(seconds / 60));
  if (seconds < 172_800) return words.queues.hours(Math.floor(seconds / 3_600));
  return words.queues.days(Math.floor(seconds / 86_400));
}
