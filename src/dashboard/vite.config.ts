import { join } from 'node:path';

import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

import { LOGO_SVG } from './parts/logoSvg.js';

/** Where the service answers while the dashboard is served by vite's own server (`vite --config …`). */
const SERVICE = process.env['DHARA_URL'] ?? 'http://127.0.0.1:8080';

// A build is for production wherever it is made: in a test run, the libraries' development halves would come along.
if (process.argv.includes('build')) process.env['NODE_ENV'] = 'production';

/** The pages are drawn before any script runs: what a script would draw stands in them. */
const logo: Plugin = {
  name: 'dhara-logo',
  transformIndexHtml: (page) => page.replace('<!-- logo -->', LOGO_SVG),
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react(), logo],
  build: {
    outDir: '../../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    // The first versions that know `light-dark()`, which would otherwise be rewritten into something weaker.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    sourcemap: false,
    // The content security policy allows no `data:` scripts, and an inlined SVG saves nothing here.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The same dashboard; what is seen before its scripts are there differs.
      input: ['index.html', 'sign-in.html'].map((page) => join(import.meta.dirname, page)),
      output: {
        // With what they are made of. Else all that two pages share is a file of its own, and each costs a round trip.
        codeSplitting: {
          groups: [
            // What the watch page has in common with the dashboard, which it does without.
            { name: 'common', test: /preload-helper|parts\/logoSvg/, priority: 2 },
            { name: 'react', test: /node_modules\/(?:react|react-dom|scheduler)\//, priority: 1 },
            {
              name: 'base',
              test: /dashboard\/(?:app\/routes|auth\/AuthFrame|auth\/SignInForm|parts\/Toasts|words\/rich)\.tsx?/,
              // What both need is here, or the sign-in would load the data's chunk as well.
              priority: 0.5,
            },
            { name: 'data', test: /dashboard\/app\/(?:apolloClient\.ts|LiveUpdates\.tsx)/, priority: 0.25 },
            // The frame of every page behind the sign-in, and Home, where most visits begin: small files compress badly.
            { name: 'frame', test: /dashboard\/(?:app\/(?:Pages|Shell)|home\/HomePage)\.tsx/ },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 600,
  },
  server: {
    proxy: Object.fromEntries(
      ['/graphql', '/api', '/uploads', '/branding', '/media', '/v1'].map((path) => [
        path,
        { target: SERVICE, changeOrigin: false },
      ]),
    ),
  },
});
