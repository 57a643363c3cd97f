import { words } from '#words/page.js';
import type { FirstPages } from './app/routes.js';

/**
 * The first module of every page. Watch pages are for people who never see the dashboard, so they get a bundle of their
 * own, without the component library and the GraphQL client.
 */
const root = document.getElementById('root');
if (!root) throw new Error('the page has no #root');

try {
  await firstPaint();
  if (location.pathname === '/watch') {
    const { showWatchPage } = await import('./watch/watchPage.js');
    showWatchPage(root);
  } else {
    const [{ showDashboard }, here] = await Promise.all([
      import('./app/showDashboard.js'),
      pagesOf(location.pathname).catch((): FirstPages => ({})),
    ]);
    showDashboard(root, here);
  }
} catch (error) {
  // Usually a new version was just released, and the files that this page names are gone.
  root.textContent = words.couldNotLoad;
  throw error;
}

/** Resolves after the static content was painted, which running scripts would delay. At once if the page is hidden. */
function firstPaint(): Promise<void> {
  if (document.hidden) return Promise.resolve();
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** Loads the address's page in parallel with the frame around it. Errors are reported where it is used. */
async function pagesOf(path: string): Promise<FirstPages> {
  if (path === '/sign-in') return { SignIn: (await import('./auth/SignInPage.js')).default };

  const inside = path === '/' ? import('./home/HomePage.js') : undefined;
  void Promise.allSettled([import('./app/Shell.js'), inside]);
  return { Pages: (await import('./app/Pages.js')).default };
}
