import { words } from '#words/page.js';
import type { First, InnerPages } from './app/first.js';
import { fetchFirstResponse, takenOnce } from './app/firstResponse.js';
import { painted } from './lib/painted.js';

/**
 * The first module of every page. Watch pages are for people who never see the dashboard, so they get a bundle of their
 * own, without the component library and the GraphQL client.
 */
const root = document.getElementById('root');
if (!root) throw new Error('the page has no #root');

// Sent before the scripts that show it are requested.
const firstResponse = fetchFirstResponse(location);

try {
  // Running scripts would delay the static content.
  await painted();
  if (location.pathname === '/watch') {
    const { showWatchPage } = await import('./watch/watchPage.js');
    showWatchPage(root);
  } else {
    // The first format takes as long as all later ones together, because the browser looks up the languages that it has.
    // It is made in a task of its own, while scripts are on their way.
    setTimeout(() => new Intl.NumberFormat(document.documentElement.lang).format(0));
    const [{ showDashboard }, first] = await Promise.all([
      import('./app/showDashboard.js'),
      pagesOf(location.pathname).catch((): First => ({})),
    ]);
    showDashboard(root, first);
  }
} catch (error) {
  // Usually a new version was just released, and the files that this page names are gone.
  root.textContent = words.couldNotLoad;
  throw error;
}

/**
 * Loads the address's page in parallel with the frame around it. Errors are reported where it is used. `preloads.ts` has
 * the same pages.
 */
async function pagesOf(path: string): Promise<First> {
  if (path === '/sign-in') return { SignIn: (await import('./auth/SignInPage.js')).default };

  const [{ default: Pages, clientWith }, inner, response] = await Promise.all([
    import('./app/Pages.js'),
    innerPageOf(path),
    firstResponse,
  ]);
  return { Pages, ...inner, takeClient: takenOnce(response && (await clientWith(response))) };
}

/** The other pages are in the bundle of the frame, or less frequent. */
async function innerPageOf(path: string): Promise<InnerPages> {
  if (path === '/videos') return { Videos: (await import('./videos/VideosPage.js')).default };
  if (path.startsWith('/videos/')) return { Video: (await import('./videos/VideoPage.js')).default };
  if (path === '/wallet') return { Wallet: (await import('./wallet/WalletPage.js')).default };
  return {};
}
