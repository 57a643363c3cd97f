import { lazy, Suspense } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import { RoomLoading } from '../parts/States.js';
import { SignedIn } from './SignedIn.js';

// Each room is a bundle of its own. The support console asks for the role itself; the service refuses others anyway.
const SignIn = lazy(() => import('../auth/SignInRoom.js'));
const SignUp = lazy(() => import('../auth/SignUpRoom.js'));
const ForgotPassword = lazy(() => import('../auth/ForgotPasswordRoom.js'));
const ResetPassword = lazy(() => import('../auth/ResetPasswordRoom.js'));
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

export function AppRoutes() {
  return (
    <Suspense fallback={<RoomLoading />}>
      <Routes>
        <Route path="/sign-in" element={<SignIn />} />
        <Route path="/sign-up" element={<SignUp />} />
        <Route path="/forgot-password" element={<ForgotPassword />} />
        <Route path="/reset-password" element={<ResetPassword />} />
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
    </Suspense>
  );
}
