import type { FirstPages } from './app/routes.js';

/**
 * The first module of every page. A watch page is opened by people who never see the dashboard, so it gets a bundle
 * of its own: neither the component library nor the GraphQL client is in it.
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
  // Most often a new version was released just now, and what this page names is gone.
  root.textContent = 'Dhara could not be loaded. Please load this page again.';
  throw error;
}

/** Once what the page itself says has been seen: running scripts would hold that up. At once where nobody looks. */
function firstPaint(): Promise<void> {
  if (document.hidden) return Promise.resolve();
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** What the address will ask for comes beside what shows it, not after. How that fails is told where it is used. */
async function pagesOf(path: string): Promise<FirstPages> {
  if (path === '/sign-in') return { SignIn: (await import('./auth/SignInPage.js')).default };

  const inside = path === '/' ? import('./home/HomePage.js') : undefined;
  void Promise.allSettled([import('./app/Shell.js'), inside]);
  return { Pages: (await import('./app/Pages.js')).default };
}
