import { join } from 'node:path';

import type { Plugin, Rolldown } from 'vite';

/** The modules that an address needs besides `main.ts`: the same as there. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  '/watch': ['watch/watchPage.ts'],
  '/sign-in': ['app/showDashboard.tsx', 'auth/SignInPage.tsx'],
  '/videos': ['app/showDashboard.tsx', 'app/Pages.tsx', 'videos/VideosPage.tsx'],
  '/videos/:id': ['app/showDashboard.tsx', 'app/Pages.tsx', 'videos/VideoPage.tsx'],
  '/wallet': ['app/showDashboard.tsx', 'app/Pages.tsx', 'wallet/WalletPage.tsx'],
  '*': ['app/showDashboard.tsx', 'app/Pages.tsx'],
};

/**
 * Writes `preloads.json`: the files that each page loads, by its path. The service names them in a header of the page, so
 * that browsers request all of them at once. Otherwise they learn the second half from the first.
 */
export const preloads: Plugin = {
  name: 'dhara-preloads',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const files = Object.entries(PAGES).map(([path, modules]) => [path, filesOf(['main.ts', ...modules], bundle)]);
      this.emitFile({
        type: 'asset',
        fileName: 'preloads.json',
        source: JSON.stringify(Object.fromEntries(files)),
      });
    },
  },
};

/** The files of modules and all that they import, in the order in which they are named. */
function filesOf(modules: readonly string[], bundle: Rolldown.OutputBundle): string[] {
  const scripts = new Set<string>();
  const styles = new Set<string>();
  const add = (fileName: string): void => {
    const chunk = bundle[fileName];
    if (chunk?.type !== 'chunk' || scripts.has(fileName)) return;
    scripts.add(fileName);
    for (const style of chunk.viteMetadata?.importedCss ?? []) styles.add(style);
    for (const imported of chunk.imports) add(imported);
  };
  for (const module of modules) for (const name of chunksOf(join(import.meta.dirname, module), bundle)) add(name);
  return [...scripts, ...styles].map((fileName) => `/${fileName}`);
}

/** The chunk that holds a module, and the one that only hands it on, if there is one. */
function chunksOf(module: string, bundle: Rolldown.OutputBundle): string[] {
  const found = Object.values(bundle).filter(
    (one) => one.type === 'chunk' && (one.facadeModuleId === module || one.moduleIds.includes(module)),
  );
  if (found.length === 0) throw new Error(`The dashboard has no module ${module}.`);
  return found.map(({ fileName }) => fileName);
}
