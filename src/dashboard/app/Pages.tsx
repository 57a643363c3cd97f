import { ApolloProvider } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { movedPath } from '../docs/addresses.js';
import Home from '../home/HomePage.js';
import { lazy } from '../lib/lazy.js';
import { askService, createApolloClient } from './apolloClient.js';
import { connection } from '../session/connection.js';
import type { PagesProps } from './first.js';
import { isTestMode } from '../session/mode.js';
import { refresh } from '../session/refresh.js';
import { SignedIn } from './SignedIn.js';

export { clientWith } from './apolloClient.js';

// The support console checks the role itself; the service refuses others anyway.
const VideosLater = lazy(() => import('../videos/VideosPage.js'));
const VideoLater = lazy(() => import('../videos/VideoPage.js'));
const Bin = lazy(() => import('../videos/BinPage.js'));
const Analytics = lazy(() => import('../analytics/AnalyticsPage.js'));
const Upload = lazy(() => import('../upload/UploadPage.js'));
const Keys = lazy(() => import('../keys/KeysPage.js'));
// `/webhooks` is where payment providers post to, so this page has another path.
const Webhooks = lazy(() => import('../webhooks/WebhooksPage.js'));
const WalletLater = lazy(() => import('../wallet/WalletPage.js'));
const Referrals = lazy(() => import('../referrals/ReferralsPage.js'));
const Events = lazy(() => import('../events/EventsPage.js'));
const Docs = lazy(() => import('../docs/DocsPage.js'));
const Support = lazy(() => import('../support/SupportPage.js'));
const Settings = lazy(() => import('../settings/SettingsPage.js'));
const NotFound = lazy(() => import('../parts/NotFoundPage.js'));

/* Redirects are here and not in pages, which load later: by then, they would undo what was clicked meanwhile. */

/** Until the chapters of the documentation had their own pages, all anchors were on one. */
function DocsOrMoved() {
  const { pathname, search, hash } = useLocation();
  const moved = movedPath(pathname, hash);
  return moved === undefined ? <Docs /> : <Navigate to={`${moved}${search}${hash}`} replace />;
}

/**
 * Everything that reads data from the service. Signing out unmounts it together with its cache, so that nothing of one
 * user is shown to the next.
 */
export default function Pages({
  takeClient,
  Videos = VideosLater,
  Video = VideoLater,
  Wallet = WalletLater,
}: PagesProps) {
  const [client] = useState(() => takeClient?.() ?? createApolloClient());
  useEffect(() => connection.onReturn(() => refresh(client)), [client]);
  // What the first render shows was just requested. Everything after it asks the service.
  useEffect(() => askService(client), [client]);

  return (
    <ApolloProvider client={client}>
      <Routes>
        <Route element={<SignedIn isOpen />}>
          <Route path="/docs/*" element={<DocsOrMoved />} />
        </Route>
        <Route element={<SignedIn />}>
          <Route index element={isTestMode ? <Navigate to="/videos" replace /> : <Home />} />
          <Route path="/home" element={<Navigate to="/" replace />} />
          <Route path="/videos" element={<Videos />} />
          <Route path="/videos/bin" element={<Bin />} />
          <Route path="/videos/:id/:tab?" element={<Video />} />
          <Route path="/analytics" element={<Analytics />} />
          <Route path="/upload" element={<Upload />} />
          <Route path="/keys" element={<Keys />} />
          <Route path="/events" element={<Events />} />
          <Route path="/webhook-endpoints" element={<Webhooks />} />
          <Route path="/wallet/*" element={<Wallet />} />
          <Route path="/referrals" element={<Referrals />} />
          <Route path="/support/*" element={<Support />} />
          <Route path="/settings" element={<Navigate to="/settings/profile" replace />} />
          <Route path="/settings/*" element={<Settings />} />
          <Route path="*" element={<NotFound />} />
        </Route>
      </Routes>
    </ApolloProvider>
  );
}
