/**
 * The first module of every page. A watch page is opened by people who never see the dashboard, so it gets a bundle
 * of its own: neither the component library nor the GraphQL client is in it.
 */
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

if (location.pathname === '/watch') {
  const { showWatchPage } = await import('./watch/watchPage.js');
  showWatchPage(root);
} else {
  // What the address will ask for comes beside what shows it, not after. How it fails is told where it is used.
  const ahead =
    location.pathname === '/sign-in'
      ? [import('./auth/SignInRoom.js')]
      : [import('./app/Rooms.js'), import('./app/Shell.js')];
  void Promise.allSettled(ahead);
  const { showDashboard } = await import('./app/showDashboard.js');
  showDashboard(root);
}
export {};
