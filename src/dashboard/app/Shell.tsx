import { useQuery } from '@apollo/client/react';
import { Alert, Button } from '@mantine/core';
import { Suspense } from 'react';
import { Link, NavLink, Outlet } from 'react-router';
import { WalletDocument } from '../generated/graphql.js';
import { showCredits } from '../lib/credits.js';
import { Icon, type IconName } from '../parts/Icon.js';
import { Logo } from '../parts/Logo.js';
import { RoomLoading } from '../parts/States.js';
import { UploadDock } from '../upload/UploadDock.js';
import { useConnectionLost } from './connection.js';
import { LiveUpdates } from './LiveUpdates.js';
import { SessionDialog } from './SessionDialog.js';
import classes from './Shell.module.css';
import { useViewer } from './viewer.js';

const ROOMS: readonly { to: string; label: string; icon: IconName }[] = [
  { to: '/videos', label: 'Videos', icon: 'videos' },
  { to: '/upload', label: 'Upload', icon: 'upload' },
  { to: '/keys', label: 'API keys', icon: 'key' },
  { to: '/wallet', label: 'Wallet', icon: 'wallet' },
  { to: '/settings', label: 'Settings', icon: 'settings' },
];

/** What stands around every room: the ways to the others, the balance, and what concerns all of them. */
export function Shell() {
  const viewer = useViewer();
  return (
    <div className={classes['shell']}>
      <a className="skip-link" href="#room">
        Skip to the content
      </a>
      <header className={classes['head']}>
        <Link to="/videos" className={classes['home']} aria-label="Dhara: to the videos">
          <Logo size={26} />
        </Link>
        <Balance />
      </header>
      <nav className={classes['nav']} aria-label="Rooms">
        {ROOMS.map(({ to, label, icon }) => (
          <NavLink key={to} to={to} className={classes['link'] ?? ''}>
            <Icon name={icon} />
            <span>{label}</span>
          </NavLink>
        ))}
      </nav>
      <footer className={classes['foot']}>
        <UploadDock />
        <span className={`${classes['mail']} clip`} title={viewer.email}>
          {viewer.email}
        </span>
      </footer>
      <main className={classes['room']} id="room" tabIndex={-1}>
        <Notices suspended={viewer.account.suspended} />
        <Suspense fallback={<RoomLoading />}>
          <Outlet />
        </Suspense>
      </main>
      <LiveUpdates />
      <SessionDialog />
    </div>
  );
}

function Balance() {
  const { data } = useQuery(WalletDocument);
  if (!data) return null;
  return (
    <Link to="/wallet" className={classes['balance']}>
      <span>Creative</span>
      <b className="num">{showCredits(data.wallet.creative)}</b>
    </Link>
  );
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
          title="No connection to the service"
          icon={<Icon name="offline" size={18} />}
        >
          What you typed stays here. This page tries again by itself.
        </Alert>
      ) : null}
      {suspended ? (
        <Alert
          className={classes['notice'] ?? ''}
          color="red"
          title="This account is suspended"
          icon={<Icon name="alert" size={18} />}
        >
          You can look, but not upload, process or change anything. Write to support to find out why.
          <Button component={Link} to="/settings" variant="subtle" size="compact-sm" ml="xs">
            Settings
          </Button>
        </Alert>
      ) : null}
    </>
  );
}
