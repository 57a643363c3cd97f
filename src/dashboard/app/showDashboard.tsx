import './mantine.css';
import './base.css';
import { MantineProvider } from '@mantine/core';
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { Announcer } from '../parts/Announcer.js';
import { Toasts } from '../parts/Toasts.js';
import { CrashScreen } from './CrashScreen.js';
import type { First } from './first.js';
import { AppRoutes } from './routes.js';
import { theme } from './theme.js';

export function showDashboard(root: HTMLElement, first: First): void {
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
