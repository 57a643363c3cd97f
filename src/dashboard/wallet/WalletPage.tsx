import { words } from '#words/wallet.js';
import { useQuery } from '@apollo/client/react';
import { Button } from '@mantine/core';
import { Suspense, useState } from 'react';
import { Route, Routes, useLocation, useSearchParams } from 'react-router';
import { useIsReadOnly } from '../session/viewer.js';
import { WalletDocument } from '../generated/graphql.js';
import { lazy } from '../lib/lazy.js';
import { withoutParameter } from '../lib/withoutParameter.js';
import { Icon } from '../parts/Icon.js';
import { PageHead } from '../parts/PageHead.js';
import { PageTabs } from '../parts/PageTabs.js';
import { PageLoading } from '../parts/States.js';
import { AddCreditsContext } from './addCredits.js';
import { Overview } from './Overview.js';
import { useMoneyRefresh } from './useMoneyRefresh.js';

const AddCreditsDialog = lazy(() => import('./topUps/AddCreditsDialog.js'));
const Ledger = lazy(() => import('./ledger/Ledger.js'));
const TopUps = lazy(() => import('./topUps/TopUps.js'));
const TopUpPage = lazy(() => import('./topUps/TopUpPage.js'));
const Documents = lazy(() => import('./documents/Documents.js'));
const NotFound = lazy(() => import('../parts/NotFoundPage.js'));

const PAGES = [
  { to: '/wallet', label: words.walletPage.overview, isExact: true },
  { to: '/wallet/ledger', label: words.walletPage.ledger },
  { to: '/wallet/top-ups', label: words.walletPage.topUps },
  { to: '/wallet/documents', label: words.walletPage.documents },
] as const;

/** The wallet: balances, top-ups, the ledger, and documents. */
export default function WalletPage() {
  const isReadOnly = useIsReadOnly();
  const { data } = useQuery(WalletDocument);
  const { pathname } = useLocation();
  const part = PAGES.slice(1).find(({ to }) => pathname.startsWith(to))?.label;
  // Links such as Home's open the dialog with the page.
  const [search, setSearch] = useSearchParams();
  const isAsked = search.has('add') && !isReadOnly;
  const [adding, setAdding] = useState(false);
  const [everOpened, setEverOpened] = useState(false);
  if (isAsked && !everOpened) setEverOpened(true);
  useMoneyRefresh(data?.wallet);

  function open(): void {
    setEverOpened(true);
    setAdding(true);
  }

  function close(): void {
    setAdding(false);
    if (search.has('add')) setSearch(withoutParameter('add'), { replace: true });
  }

  return (
    <AddCreditsContext value={open}>
      <PageHead title={words.walletPage.wallet} part={part} note={words.walletPage.n1Credit1Prepaid}>
        <Button leftSection={<Icon name="plus" size={18} />} onClick={open} disabled={isReadOnly}>
          {words.walletPage.addCredits}
        </Button>
      </PageHead>
      <PageTabs label={words.walletPage.wallet} tabs={PAGES} />
      <Suspense fallback={<PageLoading />}>
        <Routes>
          <Route index element={<Overview />} />
          <Route path="ledger" element={<Ledger />} />
          <Route path="top-ups" element={<TopUps />} />
          <Route path="top-ups/:id" element={<TopUpPage />} />
          <Route path="documents" element={<Documents />} />
          <Route path="*" element={<NotFound isPart />} />
        </Routes>
      </Suspense>
      {everOpened ? (
        <Suspense fallback={null}>
          <AddCreditsDialog opened={adding || isAsked} onClose={close} />
        </Suspense>
      ) : null}
    </AddCreditsContext>
  );
}
