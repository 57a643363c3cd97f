import { Skeleton, Stack, Title } from '@mantine/core';
import { Link } from 'react-router';
import { PageHead } from '../parts/PageHead.js';
import { ErrorState } from '../parts/States.js';
import { BooksCard } from './BooksCard.js';
import classes from './parts/console.module.css';
import { useRecentAccounts } from './recent.js';
import { showCount, useWaiting, type Waiting } from './useWaiting.js';

const WORK: readonly {
  readonly to: string;
  readonly of: keyof Waiting;
  readonly label: string;
  readonly note: string;
}[] = [
  { to: 'alerts', of: 'alerts', label: 'Open alerts', note: 'Somebody has to look' },
  { to: 'adjustments', of: 'adjustments', label: 'Adjustments', note: 'Wait for a second person' },
  { to: 'requests', of: 'requests', label: 'Refunds and quotas', note: 'Wait for a second person' },
  { to: 'suspense', of: 'suspense', label: 'Suspense items', note: 'Money that found no account' },
  { to: 'missing', of: 'missing', label: 'Missing webhooks', note: 'Paid, but we were not told' },
  { to: 'failed', of: 'failed', label: 'Failed jobs', note: 'Videos that can be retried' },
  { to: 'webhooks?status=FAILED', of: 'webhooks', label: 'Failed webhooks', note: 'Left for people to look at' },
];

/** The start page of staff: waiting work, the state of the books, and recently viewed accounts. */
export default function Overview() {
  const { waiting, error, reload } = useWaiting();
  return (
    <>
      <PageHead title="Support" note="Press / to search. Everything you change is kept in the audit log." />
      {error && !waiting ? <ErrorState error={error} onRetry={reload} /> : null}
      <Stack gap="lg">
        <div className={classes['cards']} aria-busy={!waiting && !error}>
          {WORK.map(({ to, of, label, note }) =>
            waiting ? (
              <Link
                key={of}
                to={`/support/${to}`}
                className={`panel ${classes['work']}`}
                data-calm={waiting[of].count === 0 || undefined}
              >
                <b className="num">{showCount(waiting[of])}</b>
                <span>{label}</span>
                <small>{note}</small>
              </Link>
            ) : error ? null : (
              <Skeleton key={of} height={104} radius="lg" />
            ),
          )}
        </div>
        <div className={classes['columns']}>
          <BooksCard />
          <Recent />
        </div>
      </Stack>
    </>
  );
}

function Recent() {
  const recent = useRecentAccounts();
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="recent-title">
      <Title order={2} id="recent-title">
        Opened last
      </Title>
      {recent.length === 0 ? (
        <p className={classes['soft']} style={{ margin: 0 }}>
          The accounts you open are listed here until you leave or reload this page.
        </p>
      ) : (
        <div>
          {recent.map(({ id, email, name }) => (
            <Link key={id} to={`/support/accounts/${id}`} className={classes['hit']} style={{ marginInline: -10 }}>
              <span className={classes['what']}>
                <span className="clip">{email}</span>
                <small className="clip">{name}</small>
              </span>
            </Link>
          ))}
        </div>
      )}
    </section>
  );
}
