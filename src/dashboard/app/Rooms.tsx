import { ApolloProvider } from '@apollo/client/react';
import { lazy, useEffect, useState } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import { createApolloClient } from './apolloClient.js';
import { connection } from './connection.js';
import { refresh } from './refresh.js';
import { SignedIn } from './SignedIn.js';

// The support console asks for the role itself; the service refuses others anyway.
const Home = lazy(() => import('../home/HomeRoom.js'));
const Videos = lazy(() => import('../videos/VideosRoom.js'));
const Video = lazy(() => import('../videos/VideoRoom.js'));
const Upload = lazy(() => import('../upload/UploadRoom.js'));
const Keys = lazy(() => import('../keys/KeysRoom.js'));
const Wallet = lazy(() => import('../wallet/WalletRoom.js'));
const Referrals = lazy(() => import('../referrals/ReferralsRoom.js'));
const Docs = lazy(() => import('../docs/DocsRoom.js'));
const Support = lazy(() => import('../support/SupportRoom.js'));
const Settings = lazy(() => import('../settings/SettingsRoom.js'));
const NotFound = lazy(() => import('./NotFoundRoom.js'));

/**
 * All that asks the service for data. Whoever has to sign in leaves it, and what was read with it: nothing of one
 * person is shown to the next.
 */
export default function Rooms() {
  const [client] = useState(createApolloClient);
  useEffect(() => connection.onReturn(() => refresh(client)), [client]);

  return (
    <ApolloProvider client={client}>
      <Routes>
        <Route element={<SignedIn isOpen />}>
          <Route path="/docs/*" element={<Docs />} />
        </Route>
        <Route element={<SignedIn />}>
          <Route index element={<Home />} />
          <Route path="/home" element={<Navigate to="/" replace />} />
          <Route path="/videos" element={<Videos />} />
          <Route path="/videos/:id" element={<Video />} />
          <Route path="/upload" element={<Upload />} />
          <Route path="/keys" element={<Keys />} />
          <Route path="/wallet/*" element={<Wallet />} />
          <Route path="/referrals" element={<Referrals />} />
          <Route path="/support/*" element={<Support />} />
          <Route path="/settings" element={<Settings />} />
          <Route path="*" element={<NotFound />} />
        </Route>
      </Routes>
    </ApolloProvider>
  );
}
