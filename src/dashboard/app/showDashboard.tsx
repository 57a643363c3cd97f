import '@mantine/core/styles.layer.css';
import './base.css';
import { ApolloProvider } from '@apollo/client/react';
import { MantineProvider } from '@mantine/core';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { Announcer } from '../parts/Announcer.js';
import { Toasts } from '../parts/Toasts.js';
import { createApolloClient } from './apolloClient.js';
import { CrashScreen } from './CrashScreen.js';
import { AppRoutes } from './routes.js';
import { theme } from './theme.js';

export function showDashboard(root: HTMLElement): void {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto">
        <CrashScreen>
          <ApolloProvider client={createApolloClient()}>
            <BrowserRouter>
              <AppRoutes />
            </BrowserRouter>
          </ApolloProvider>
        </CrashScreen>
        <Toasts />
        <Announcer />
      </MantineProvider>
    </StrictMode>,
  );
}
