import { useQuery } from '@apollo/client/react';
import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { NavLink, Route, Routes } from 'react-router';
import { useViewer } from '../app/viewer.js';
import { WalletDocument } from '../generated/graphql.js';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { PageLoading } from '../parts/States.js';
import { AddCreditsContext } from './addCredits.js';
import { Overview } from './Overview.js';
import { useMoneyRefresh } from './useMoneyRefresh.js';
import classes from './WalletPage.module.css';

const AddCreditsDialog = lazy(() => import('./topUps/AddCreditsDialog.js'));
const Ledger = lazy(() => import('./ledger/Ledger.js'));
const TopUps = lazy(() => import('./topUps/TopUps.js'));
const TopUpPage = lazy(() => import('./topUps/TopUpPage.js'));
const Documents = lazy(() => import('./documents/Documents.js'));
const NotFound = lazy(() => import('../app/NotFoundPage.js'));

const PAGES = [
  { to: '/wallet', label: 'Overview' },
  { to: '/wallet/ledger', label: 'Ledger' },
  { to: '/wallet/top-ups', label: 'Top-ups' },
  { to: '/wallet/documents', label: 'Documents' },
] as const;

/** Money: what there is, where it came from, where it went, and the papers about it. */
export default function WalletPage() {
  const { account } = useViewer();
  const { data } = useQuery(WalletDocument);
  const [adding, setAdding] = useState(false);
  const [everOpened, setEverOpened] = useState(false);
  useMoneyRefresh(data?.wallet);

  function open(): void {
    setEverOpened(true);
    setAdding(true);
  }

  return (
    <AddCreditsContext value={open}>
      <PageHead title="Wallet" note="1 credit = ₹1. Prepaid: you can’t be charged more than your balance.">
        <Button leftSection={<Icon name="plus" size={18} />} onClick={open} disabled={account.suspended}>
          Add credits
        </Button>
      </PageHead>
      <nav aria-label="Wallet" className={classes['pages']}>
        {PAGES.map(({ to, label }) => (
          <NavLink key={to} to={to} end={to === '/wallet'}>
            {label}
          </NavLink>
        ))}
      </nav>
      <Suspense fallback={<PageLoading />}>
        <Routes>
          <Route index element={<Overview />} />
          <Route path="ledger" element={<Ledger />} />
          <Route path="top-ups" element={<TopUps />} />
          <Route path="top-ups/:id" element={<TopUpPage />} />
          <Route path="documents" element={<Documents />} />
          <Route path="*" element={<NotFound />} />
        </Routes>
      </Suspense>
      {everOpened ? (
        <Suspense fallback={null}>
          <AddCreditsDialog opened={adding} onClose={() => setAdding(false)} />
        </Suspense>
      ) : null}
    </AddCreditsContext>
  );
}
