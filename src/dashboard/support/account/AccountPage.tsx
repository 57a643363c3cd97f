import { words } from '#words/supportAccount.js';
import { useQuery } from '@apollo/client/react';
import { Badge, Skeleton, Stack } from '@mantine/core';
import { useEffect } from 'react';
import { NavLink, Route, Routes, useParams } from 'react-router';
import NotFoundPage from '../../parts/NotFoundPage.js';
import { StaffAccountDocument, StaffTopUpsDocument } from '../../generated/graphql.js';
import { showDay } from '../../lib/format.js';
import { PageHead } from '../../parts/PageHead.js';
import { EmptyState, ErrorState } from '../../parts/States.js';
import { Email } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import { rememberAccount } from '../recent.js';
import { AccountLedger } from './AccountLedger.js';
import { AccountOverview } from './AccountOverview.js';
import { AccountVideos } from './AccountVideos.js';
import { AuditList } from '../lists/AuditList.js';
import { Suspension, SuspendedNotice } from './Suspension.js';
import type { StaffAccount } from './staffAccount.js';
import { ViewAsOwner } from './ViewAsOwner.js';
import { PAGE, StaffList } from '../parts/StaffList.js';
import { TopUpRow } from './TopUpRow.js';

const TABS = [
  { to: '', label: words.accountPage.overview },
  { to: '/ledger', label: words.accountPage.ledger },
  { to: '/videos', label: words.accountPage.videos },
  { to: '/top-ups', label: words.accountPage.topUps },
  { to: '/audit', label: words.accountPage.auditTrail },
] as const;

/** One account, with everything that staff may see and do. */
export default function AccountPage() {
  const { id = '' } = useParams();
  const { data, error, refetch } = useQuery(StaffAccountDocument, { variables: { id } });
  const account = data?.account;

  useEffect(() => {
    if (account) rememberAccount(account);
  }, [account]);

  if (data && !account) {
    return (
      <>
        <PageHead title={words.accountPage.accountNotFound} />
        <EmptyState
          icon="search"
          title={words.accountPage.accountNotFound}
          advice={words.accountPage.idWrongSearchAccount}
        />
      </>
    );
  }
  if (!account) {
    return (
      <>
        <PageHead title={words.accountPage.account} />
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Loading />}
      </>
    );
  }
  return (
    // Another account is another page: input for one must not be sent for the next.
    <div key={account.id}>
      <PageHead
        title={account.email}
        heading={<Email of={account.email} />}
        note={
          <span className={classes['line']}>
            <span>{words.accountPage.since(account.name, showDay(account.createdAt))}</span>
            <AccountBadges account={account} />
          </span>
        }
      >
        <ViewAsOwner account={account} />
        <Suspension account={account} />
      </PageHead>
      <SuspendedNotice account={account} />
      <nav aria-label={words.accountPage.account} style={{ marginBottom: 18 }}>
        <ul className={classes['tabs']}>
          {TABS.map(({ to, label }) => (
            <li key={to}>
              <NavLink to={`/support/accounts/${account.id}${to}`} end className={classes['tab'] ?? ''}>
                {label}
              </NavLink>
            </li>
          ))}
        </ul>
      </nav>
      <Routes>
        <Route index element={<AccountOverview account={account} />} />
        <Route path="ledger" element={<AccountLedger account={account} />} />
        <Route path="videos" element={<AccountVideos account={account} />} />
        <Route path="top-ups" element={<AccountTopUps account={account} />} />
        <Route path="audit" element={<AuditList accountId={account.id} action={null} />} />
        <Route path="*" element={<NotFoundPage isPart />} />
      </Routes>
    </div>
  );
}

function AccountBadges({ account: { role, emailVerified, suspendedAt } }: { account: StaffAccount }) {
  return (
    <>
      {role === 'SUPPORT' ? <Badge tt="none">{words.accountPage.staff}</Badge> : null}
      {suspendedAt ? (
        <Badge color="red" tt="none">
          {words.accountPage.suspended}
        </Badge>
      ) : null}
      {emailVerified ? null : (
        <Badge color="yellow" tt="none">
          {words.accountPage.emailNotVerified}
        </Badge>
      )}
    </>
  );
}

function Loading() {
  return (
    <Stack role="status" aria-busy="true" aria-label={words.accountPage.loadingAccount}>
      <Skeleton height={38} width="60%" />
      <Skeleton height={180} radius="lg" />
      <Skeleton height={260} radius="lg" />
    </Stack>
  );
}

function AccountTopUps({ account }: { account: StaffAccount }) {
  const variables = { id: account.id, first: PAGE };
  const { data, error, refetch, fetchMore } = useQuery(StaffTopUpsDocument, { variables });
  return (
    <StaffList
      label={words.accountTopUps.topUps}
      pages={data?.topUpsOf}
      error={error}
      onRetry={() => void refetch()}
      onMore={(after) => fetchMore({ variables: { after } })}
      keyOf={(topUp) => topUp.id}
      render={(topUp) => <TopUpRow topUp={topUp} />}
      empty={{ icon: 'wallet', title: words.accountTopUps.noTopUps, advice: words.accountTopUps.ownerHasNoTop }}
      estimatePx={90}
    />
  );
}
