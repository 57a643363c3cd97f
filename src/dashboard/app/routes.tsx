import { lazy, Suspense } from 'react';
import { Route, Routes } from 'react-router';
import { PageLoading } from '../parts/States.js';
import type { First } from './first.js';

// Each page is a bundle of its own. Pages in front of the sign-in do not load the GraphQL client.
const SignInLater = lazy(() => import('../auth/SignInPage.js'));
const SignUp = lazy(() => import('../auth/SignUpPage.js'));
const ForgotPassword = lazy(() => import('../auth/ForgotPasswordPage.js'));
const ResetPassword = lazy(() => import('../auth/ResetPasswordPage.js'));
const PagesLater = lazy(() => import('./Pages.js'));

export function AppRoutes({ SignIn = SignInLater, Pages = PagesLater, ...inner }: First) {
  return (
    <Suspense fallback={<PageLoading />}>
      <Routes>
        <Route path="/sign-in" element={<SignIn />} />
        <Route path="/sign-up" element={<SignUp />} />
        <Route path="/forgot-password" element={<ForgotPassword />} />
        <Route path="/reset-password" element={<ResetPassword />} />
        <Route path="*" element={<Pages {...inner} />} />
      </Routes>
    </Suspense>
  );
}
