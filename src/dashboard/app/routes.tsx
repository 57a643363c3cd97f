import { lazy, Suspense } from 'react';
import { Route, Routes } from 'react-router';
import { RoomLoading } from '../parts/States.js';

// Each room is a bundle of its own. What stands in front of the sign-in does without the GraphQL client.
const SignIn = lazy(() => import('../auth/SignInRoom.js'));
const SignUp = lazy(() => import('../auth/SignUpRoom.js'));
const ForgotPassword = lazy(() => import('../auth/ForgotPasswordRoom.js'));
const ResetPassword = lazy(() => import('../auth/ResetPasswordRoom.js'));
const Rooms = lazy(() => import('./Rooms.js'));

export function AppRoutes() {
  return (
    <Suspense fallback={<RoomLoading />}>
      <Routes>
        <Route path="/sign-in" element={<SignIn />} />
        <Route path="/sign-up" element={<SignUp />} />
        <Route path="/forgot-password" element={<ForgotPassword />} />
        <Route path="/reset-password" element={<ResetPassword />} />
        <Route path="*" element={<Rooms />} />
      </Routes>
    </Suspense>
  );
}
