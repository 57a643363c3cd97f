import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DASHBOARD = join(import.meta.dirname, '../../src/dashboard');

/** Where each component with its own routes is mounted. */
const MOUNTS: Readonly<Record<string, string>> = {
  'app/showDashboard.tsx': '',
  'app/Pages.tsx': '',
  'settings/SettingsPage.tsx': '/settings',
  'support/SupportPage.tsx': '/support',
  'support/account/AccountPage.tsx': '/support/accounts/:id',
  'wallet/WalletPage.tsx': '/wallet',
};

const read = (path: string): string => readFileSync(join(DASHBOARD, path), 'utf8');
const ROUTE = /<Route\b(?:[^>{]|\{[^}]*\})*?>/g;

/**
 * The addresses of all pages, as the router has them: `/wallet/top-ups/:id`. A page that is added later is among them.
 *
 * @throws for a component with routes that is not known here
 */
export function routesOfDashboard(): string[] {
  const withRoutes = globSync('**/*.tsx', { cwd: DASHBOARD }).filter((path) => read(path).includes('<Route '));
  const unknown = withRoutes.filter((path) => !(path in MOUNTS));
  if (unknown.length > 0)
    throw new Error(`say in test/browser/routes.ts where they are mounted: ${unknown.join(', ')}`);
  const routes = withRoutes.flatMap((path) => pathsIn(path).map((one) => joined(MOUNTS[path]!, one)));
  // A route that ends with `*` only leads to others, except where it is the page of unknown addresses.
  const pages = routes.filter((route) => !/[^/]\/\*$/.test(route) || MOUNTED_NOT_FOUND.has(route));
  return [...new Set([...pages.flatMap(withTabs), ...chapters()])].sort();
}

/** Each of these shows that there is no such page. */
const MOUNTED_NOT_FOUND: ReadonlySet<string> = new Set(
  Object.values(MOUNTS).flatMap((mount) => (mount === '' ? [] : [`${mount}/*`])),
);

function pathsIn(file: string): string[] {
  return (read(file).match(ROUTE) ?? []).flatMap((tag) => {
    const literal = /\bpath="([^"]+)"/.exec(tag)?.[1];
    if (literal !== undefined) return [literal];
    if (/\bindex\b/.test(tag)) return [''];
    // Routes made from a list: the list has their paths.
    if (/\bpath=\{/.test(tag)) return [...read(file).matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path!);
    // Only a frame around others.
    return [];
  });
}

function joined(mount: string, path: string): string {
  if (path.startsWith('/')) return path;
  return path === '' ? mount || '/' : `${mount}/${path}`;
}

/** The page of a video has tabs, by its last parameter. */
function withTabs(route: string): string[] {
  if (!route.endsWith('/:tab?')) return [route];
  const [, list = ''] = /const TABS = \[([^\]]*)\] as const/.exec(read('videos/tabs/VideoTabs.tsx')) ?? [];
  const tabs = [...list.matchAll(/'(\w+)'/g)].map(([, tab]) => tab!);
  if (tabs.length === 0) throw new Error('the page of a video has no tabs');
  const page = route.slice(0, -'/:tab?'.length);
  return [page, ...tabs.slice(1).map((tab) => `${page}/${tab}`)];
}

/** The documentation is one route, and a page per chapter. */
function chapters(): string[] {
  return [...read('docs/contents.ts').matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path!);
}
