import './mantine.css';
import './base.css';
import { MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { Announcer } from '../parts/Announcer.js';
import { Toasts } from '../parts/Toasts.js';
import { CrashScreen } from './CrashScreen.js';
import { AppRoutes } from './routes.js';
import { theme } from './theme.js';

export function showDashboard(root: HTMLElement): void {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto">
        <CrashScreen>
          <BrowserRouter>
            <AppRoutes />
          </BrowserRouter>
        </CrashScreen>
        <Toasts />
        <Announcer />
      </MantineProvider>
    </StrictMode>,
  );
}
