import { lazy, Suspense, type ComponentType } from 'react';
import { Route, Routes } from 'react-router';
import { RoomLoading } from '../parts/States.js';

// Each room is a bundle of its own. What stands in front of the sign-in does without the GraphQL client.
const SignInLater = lazy(() => import('../auth/SignInRoom.js'));
const SignUp = lazy(() => import('../auth/SignUpRoom.js'));
const ForgotPassword = lazy(() => import('../auth/ForgotPasswordRoom.js'));
const ResetPassword = lazy(() => import('../auth/ResetPasswordRoom.js'));
const RoomsLater = lazy(() => import('./Rooms.js'));

/** Rooms whose code is there already: they follow what the page itself shows, with nothing in between. */
export interface FirstRooms {
  readonly SignIn?: ComponentType;
  readonly Rooms?: ComponentType;
}

export function AppRoutes({ SignIn = SignInLater, Rooms = RoomsLater }: FirstRooms) {
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
