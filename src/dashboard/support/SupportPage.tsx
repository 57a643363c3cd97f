import { words } from '#words/support.js';
import { ApolloProvider, useApolloClient } from '@apollo/client/react';
import { Button } from '@mantine/core';
import { Suspense, useEffect, useState, useRef } from 'react';
import { Link, Route, Routes } from 'react-router';
import type { ApolloClient } from '@apollo/client';
import { connection } from '../session/connection.js';
import { useViewer } from '../session/viewer.js';
import { PageHead } from '../parts/PageHead.js';
import { EmptyState, PageLoading } from '../parts/States.js';
import { ConsoleBar } from './ConsoleBar.js';
import { SecondFactor } from './SecondFactor.js';
import { createSupportClient } from './supportClient.js';
import { useSessionExpired } from '../session/session.js';
import { lazy } from '../lib/lazy.js';

const Overview = lazy(() => import('./Overview.js'));
const AccountPage = lazy(() => import('./account/AccountPage.js'));
const Alerts = lazy(() => import('./lists/Alerts.js'));
const Adjustments = lazy(() => import('./lists/Adjustments.js'));
const Requests = lazy(() => import('./lists/Requests.js'));
const Suspended = lazy(() => import('./lists/SuspenseItems.js'));
const MissingWebhooks = lazy(() => import('./lists/MissingWebhooks.js'));
const FailedVideos = lazy(() => import('./lists/FailedVideos.js'));
const Webhooks = lazy(() => import('./lists/Webhooks.js'));
const WebhookPage = lazy(() => import('./lists/WebhookPage.js'));
const TotalsPage = lazy(() => import('./totals/TotalsPage.js'));
const AuditLog = lazy(() => import('./lists/AuditLog.js'));
const NotFound = lazy(() => import('../parts/NotFoundPage.js'));

/** The console of support staff. Others see a message, and nothing is requested; the service would refuse it anyway. */
export default function SupportPage() {
  const { role, twoFactorEnabled, twoFactorPassed } = useViewer();
  if (role !== 'SUPPORT') return <NotForYou />;
  return twoFactorPassed ? <Console /> : <SecondFactor isOn={twoFactorEnabled} />;
}

function NotForYou() {
  return (
    <>
      <PageHead title={words.supportPage.support} />
      <div className="panel">
        <EmptyState
          icon="support"
          title={words.supportPage.dontHaveAccess}
          advice={words.supportPage.onlySupportStaffCan}
        >
          <Button component={Link} to="/" variant="default">
            {words.supportPage.goHome}
          </Button>
        </EmptyState>
      </div>
    </>
  );
}

function Console() {
  const { link } = useApolloClient();
  const [client] = useState(() => createSupportClient(link));
  useEffect(() => connection.onReturn(() => void client.refetchQueries({ include: 'active' })), [client]);
  useViewerAgain(client);

  return (
    <ApolloProvider client={client}>
      <ConsoleBar />
      <Suspense fallback={<PageLoading />}>
        <Routes>
          <Route index element={<Overview />} />
          <Route path="accounts/:id/*" element={<AccountPage />} />
          <Route path="alerts" element={<Alerts />} />
          <Route path="adjustments" element={<Adjustments />} />
          <Route path="requests" element={<Requests />} />
          <Route path="suspense" element={<Suspended />} />
          <Route path="missing" element={<MissingWebhooks />} />
          <Route path="failed" element={<FailedVideos />} />
          <Route path="webhooks" element={<Webhooks />} />
          <Route path="webhooks/:id" element={<WebhookPage />} />
          <Route path="totals" element={<TotalsPage />} />
          <Route path="audit" element={<AuditLog />} />
          <Route path="*" element={<NotFound />} />
        </Routes>
      </Suspense>
    </ApolloProvider>
  );
}

/** Refetches what failed because the session had ended, once the user has signed in again. */
function useViewerAgain(client: ApolloClient): void {
  const expired = useSessionExpired();
  const wasExpired = useRef(false);
  useEffect(() => {
    if (wasExpired.current && !expired) void client.refetchQueries({ include: 'active' });
    wasExpired.current = expired;
  }, [client, expired]);
}
