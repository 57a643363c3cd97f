import './mantine.css';
import './base.css';
import { words } from '#words/parts.js';
import { Button, localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { startTransition, StrictMode, Component, type ReactNode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter, Route, Routes } from 'react-router';
import { lazy } from '../lib/lazy.js';
import { Announcer } from '../parts/Announcer.js';
import { Toasts } from '../parts/Toasts.js';
import type { First } from './first.js';
import { theme } from './theme.js';
import { EmptyState, PageLoading } from '../parts/States.js';

// Each page is a separate bundle. Pages in front of the sign-in do not load the GraphQL client.
const SignInLater = lazy(() => import('../auth/SignInPage.js'));
const SignUp = lazy(() => import('../auth/SignUpPage.js'));
const ForgotPassword = lazy(() => import('../auth/ForgotPasswordPage.js'));
const ResetPassword = lazy(() => import('../auth/ResetPasswordPage.js'));
const PagesLater = lazy(() => import('./Pages.js'));

function AppRoutes({ SignIn = SignInLater, Pages = PagesLater, ...inner }: First) {
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

export function showDashboard(root: HTMLElement, first: First): void {
  setColorScheme();
  // A transition renders in slices, so that the browser can respond to scrolling and typing in between.
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <MantineProvider theme={theme} defaultColorScheme="auto">
          <CrashScreen>
            <BrowserRouter>
              <AppRoutes {...first} />
            </BrowserRouter>
          </CrashScreen>
          <Toasts />
          <Announcer />
        </MantineProvider>
      </StrictMode>,
    ),
  );
}

/** The library does the same, but only when the page is rendered: the browser would compute all styles twice. */
function setColorScheme(): void {
  const chosen = localStorageColorSchemeManager().get('auto');
  const isDark = chosen === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
  document.documentElement.dataset['mantineColorScheme'] = isDark ? 'dark' : 'light';
}

/** Shown when a page breaks: usually a new version was released and this page's code no longer exists. */
class CrashScreen extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError(): { broken: boolean } {
    return { broken: true };
  }

  override render(): ReactNode {
    if (!this.state.broken) return this.props.children;
    return (
      <EmptyState
        isPage
        icon="alert"
        title={words.crashScreen.pageCrashed}
        advice={words.crashScreen.reloadGetLatestVersion}
      >
        <Button onClick={() => location.reload()}>{words.crashScreen.reload}</Button>
      </EmptyState>
    );
  }
}
