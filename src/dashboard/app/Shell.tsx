import { words } from '#words/shell.js';
import { useQuery } from '@apollo/client/react';
import { Alert, Button } from '@mantine/core';
import { Suspense } from 'react';
import { Link, Outlet } from 'react-router';
import { PaymentSandboxDocument, WalletDocument } from '../generated/graphql.js';
import { RunningJobsProvider } from '../home/RunningJobs.js';
import { microsOf, showCredits, spendable, toHundredths } from '../lib/credits.js';
import { lazy } from '../lib/lazy.js';
import { Icon } from '../parts/Icon.js';
import { Logo } from '../parts/Logo.js';
import { PageLoading } from '../parts/States.js';
import { Shortcuts } from '../palette/Shortcuts.js';
import { UploadDock } from '../upload/UploadDock.js';
import { AccountMenu } from './AccountMenu.js';
import { useConnectionLost } from '../session/connection.js';
import { LiveUpdates } from './LiveUpdates.js';
import { Navigation } from './Navigation.js';
import { isTestMode } from '../session/mode.js';
import { useSessionExpired } from '../session/session.js';
import classes from './Shell.module.css';
import { useViewer } from '../session/viewer.js';

const SessionDialog = lazy(() => import('./SessionDialog.js'));
const ViewBanner = lazy(() => import('./ViewBanner.js'));
const TestBanner = lazy(() => import('./TestBanner.js'));

/** The frame of every page: navigation, balance, and notices for the whole account. */
export function Shell() {
  const viewer = useViewer();
  return (
    <RunningJobsProvider>
      <div className={classes['shell']}>
        <a className="skip-link" href="#page">
          {words.shell.skipContent}
        </a>
        <Suspense fallback={null}>
          {viewer.view ? <ViewBanner view={viewer.view} /> : isTestMode ? <TestBanner /> : null}
        </Suspense>
        <header className={classes['head']}>
          <Link to="/" className={classes['home']} aria-label={words.shell.dharaHome}>
            <Logo size={26} />
          </Link>
          <Shortcuts />
          {isTestMode ? null : <Balance />}
          {isTestMode ? null : <Sandbox />}
          <AccountMenu />
        </header>
        <Navigation />
        <footer className={classes['foot']}>
          <UploadDock />
        </footer>
        <main className={classes['page']} id="page" tabIndex={-1}>
          <Notices suspended={viewer.account.suspended} />
          <Suspense fallback={<PageLoading />}>
            <Outlet />
          </Suspense>
        </main>
        <LiveUpdates />
        <SessionGuard />
      </div>
    </RunningJobsProvider>
  );
}

/** All credits that can be spent. Debt is shown first, since nothing starts until it is paid. */
function Balance() {
  const { data } = useQuery(WalletDocument);
  if (!data) return <span className={classes['balance']} aria-hidden="true" />;
  const inDebt = microsOf(data.wallet.debt) < 0n;
  const amount = inDebt ? data.wallet.debt : spendable(data.wallet);
  return (
    <Link
      to="/wallet"
      className={classes['balance']}
      data-debt={inDebt || undefined}
      title={words.shell.credits(showCredits(amount))}
    >
      <span>{inDebt ? words.shell.debt : words.shell.creditsLabel}</span>
      <b className="num">{showCredits(toHundredths(amount))}</b>
    </Link>
  );
}

/** Shown on every page if no payment is real. */
function Sandbox() {
  const { data } = useQuery(PaymentSandboxDocument, { fetchPolicy: 'cache-first' });
  const offers = data?.paymentProviders ?? [];
  if (offers.length === 0 || !offers.every(({ sandbox }) => sandbox)) return null;
  return (
    <span className={classes['sandbox']} title={words.shell.sandboxPaymentsNoReal}>
      {words.shell.sandboxNoRealMoney((text) => (
        <span className={classes['more']}>{text}</span>
      ))}
    </span>
  );
}

/** Shown once the session has ended. Its code is loaded then, because most sessions never need it. */
function SessionGuard() {
  const expired = useSessionExpired();
  return expired ? (
    <Suspense fallback={null}>
      <SessionDialog />
    </Suspense>
  ) : null;
}

function Notices({ suspended }: { suspended: boolean }) {
  const lost = useConnectionLost();
  return (
    <>
      {lost ? (
        <Alert
          className={classes['notice'] ?? ''}
          color="yellow"
          role="status"
          title={words.shell.noConnectionService}
          icon={<Icon name="offline" size={18} />}
        >
          {words.shell.whatTypedKeptWell}
        </Alert>
      ) : null}
      {suspended ? (
        <Alert
          className={classes['notice'] ?? ''}
          color="red"
          title={words.shell.accountSuspended}
          icon={<Icon name="alert" size={18} />}
        >
          {words.shell.accountReadOnlyCant((text) => (
            <Button component={Link} to="/settings/profile" variant="subtle" size="compact-sm" ml="xs">
              {text}
            </Button>
          ))}
        </Alert>
      ) : null}
    </>
  );
}
