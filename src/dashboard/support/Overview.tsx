import { words } from '#words/support.js';
import { Skeleton, Stack, Title } from '@mantine/core';
import { Link } from 'react-router';
import { PageHead } from '../parts/PageHead.js';
import { ErrorState } from '../parts/States.js';
import { BooksCard } from './BooksCard.js';
import classes from './parts/console.module.css';
import { QueuesCard } from './totals/QueuesCard.js';
import { useRecentAccounts } from './recent.js';
import { showCount, useWaiting, type Waiting } from './useWaiting.js';

const WORK: readonly {
  readonly to: string;
  readonly of: keyof Waiting;
  readonly label: string;
  readonly note: string;
}[] = [
  { to: 'alerts', of: 'alerts', label: words.overview.openAlerts, note: words.overview.needAttention },
  { to: 'adjustments', of: 'adjustments', label: words.overview.adjustments, note: words.overview.needSecondReviewer },
  { to: 'requests', of: 'requests', label: words.overview.requests, note: words.overview.refundsQuotas },
  { to: 'suspense', of: 'suspense', label: words.overview.suspenseItems, note: words.overview.moneyWithoutAccount },
  { to: 'missing', of: 'missing', label: words.overview.missingWebhooks, note: words.overview.paidNotConfirmedWebhook },
  { to: 'failed', of: 'failed', label: words.overview.failedJobs, note: words.overview.videosCanRetry },
  {
    to: 'webhooks?status=FAILED',
    of: 'webhooks',
    label: words.overview.failedWebhooks,
    note: words.overview.needManualDecision,
  },
];

/** The start page of staff: waiting work, the state of the books, and recently viewed accounts. */
export default function Overview() {
  const { waiting, error, reload } = useWaiting();
  return (
    <>
      <PageHead title={words.overview.support} note={words.overview.auditTrailRecords} />
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
          <div>
            <QueuesCard />
            <BooksCard />
          </div>
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
        {words.overview.recentlyOpened}
      </Title>
      {recent.length === 0 ? (
        <p className={classes['soft']} style={{ margin: 0 }}>
          {words.overview.accountsOpenAppearHere}
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
