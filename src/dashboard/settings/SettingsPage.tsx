import { words } from '#words/settings.js';
import { Suspense, type ComponentType, type LazyExoticComponent } from 'react';
import { Route, Routes, useLocation } from 'react-router';
import { lazy } from '../lib/lazy.js';
import { Changes } from '../parts/Changes.js';
import { PageHead } from '../parts/PageHead.js';
import { PageTabs } from '../parts/PageTabs.js';
import { PageLoading } from '../parts/States.js';

const NotFound = lazy(() => import('../parts/NotFoundPage.js'));

interface Tab {
  readonly path: string;
  readonly label: string;
  readonly Page: LazyExoticComponent<ComponentType>;
  /** The service takes its changes from owners of suspended accounts, too. */
  readonly evenIfSuspended?: true;
}

const TABS: readonly Tab[] = [
  { path: 'profile', label: words.tabs.profile, Page: lazy(() => import('./ProfileTab.js')), evenIfSuspended: true },
  { path: 'security', label: words.tabs.security, Page: lazy(() => import('./SecurityTab.js')), evenIfSuspended: true },
  {
    path: 'notifications',
    label: words.tabs.notifications,
    Page: lazy(() => import('./NotificationsTab.js')),
  },
  { path: 'branding', label: words.tabs.branding, Page: lazy(() => import('./BrandingTab.js')) },
  { path: 'sites', label: words.tabs.sites, Page: lazy(() => import('./SitesTab.js')) },
  { path: 'billing', label: words.tabs.billing, Page: lazy(() => import('./BillingTab.js')), evenIfSuspended: true },
  { path: 'danger', label: words.tabs.danger, Page: lazy(() => import('./DangerTab.js')) },
];

/** The settings, a tab per subject. */
export default function SettingsPage() {
  const { pathname } = useLocation();
  const part = TABS.find(({ path }) => pathname === `/settings/${path}`)?.label;
  return (
    <>
      <PageHead title={words.page.title} part={part} />
      <PageTabs label={words.page.title} tabs={TABS.map(({ path, label }) => ({ to: `/settings/${path}`, label }))} />
      <Suspense fallback={<PageLoading />}>
        <Routes>
          {TABS.map(({ path, Page, evenIfSuspended = false }) => (
            <Route
              key={path}
              path={path}
              element={
                <Changes evenIfSuspended={evenIfSuspended}>
                  <Page />
                </Changes>
              }
            />
          ))}
          <Route path="*" element={<NotFound isPart />} />
        </Routes>
      </Suspense>
    </>
  );
}
