import { lazy, Suspense, type ComponentType } from 'react';
import { Route, Routes } from 'react-router';
import { PageLoading } from '../parts/States.js';

// Each page is a bundle of its own. Pages in front of the sign-in do not load the GraphQL client.
const SignInLater = lazy(() => import('../auth/SignInPage.js'));
const SignUp = lazy(() => import('../auth/SignUpPage.js'));
const ForgotPassword = lazy(() => import('../auth/ForgotPasswordPage.js'));
const ResetPassword = lazy(() => import('../auth/ResetPasswordPage.js'));
const PagesLater = lazy(() => import('./Pages.js'));

/** Pages whose code is already loaded: they replace the page's static content without a loading state. */
export interface FirstPages {
  readonly SignIn?: ComponentType;
  readonly Pages?: ComponentType;
}

export function AppRoutes({ SignIn = SignInLater, Pages = PagesLater }: FirstPages) {
  return (
    <Suspense fallback={<PageLoading />}>
      <Routes>
        <Route path="/sign-in" element={<SignIn />} />
        <Route path="/sign-up" element={<SignUp />} />
        <Route path="/forgot-password" element={<ForgotPassword />} />
        <Route path="/reset-password" element={<ResetPassword />} />
        <Route path="*" element={<Pages />} />
      </Routes>
    </Suspense>
  );
}
