/**
 * `npm version` runs this before its commit: it writes the version of package.json to each other file that carries it, gives
 * the changelog's unreleased entries its heading, and stages them.
 *
 * `node src/setup/version.mjs [folder]`
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { rootDir } from './paths.mjs';

/** Each expression finds one version, or with `g` several, between its groups. */
const PLACES = [
  ['deploy/Dockerfile', /^(ARG VERSION=).+()$/m],
  ['deploy/image/build', /(image\/build dhara:)\S+()/],
  ['deploy/compose.yaml', /^( {2}image: localhost\/dhara:).+()$/m],
  ['deploy/helm/dhara/Chart.yaml', /^(version: ).+()$/m],
  ['deploy/helm/dhara/Chart.yaml', /^(appVersion: ).+()$/m],
  ['deploy/helm/dhara/values.yaml', /^( {2}tag: ).+()$/m],
  ['docs/deployment.md', /(\bdhara:)\d+\.\d+\.\d+[-+.\w]*()/g],
  ['src/client/package.json', /^( {2}"version": ").+(",)$/m],
];
const UNRELEASED = '## [Unreleased]\n';

const folder = process.argv[2] ?? rootDir;
const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
for (const [file, place] of PLACES) {
  edit(file, (text) => {
    // A file that has changed its form would keep the version before.
    if (text.search(place) < 0) throw new Error(`${file}: ${place} finds no version`);
    return text.replace(place, `$1${version}$2`);
  });
}
edit('CHANGELOG.md', (text) => {
  const heading = `## [${version}]`;
  // Also after a first attempt whose commit failed.
  if (text.includes(`${heading} - `)) return text;
  if (!text.includes(UNRELEASED)) throw new Error(`CHANGELOG.md: has no ${UNRELEASED.trim()}`);
  return text.replace(UNRELEASED, `${UNRELEASED}\n${heading} - ${new Date().toISOString().slice(0, 10)}\n`);
});
const changed = [...new Set(PLACES.map(([file]) => file)), 'CHANGELOG.md'];
execFileSync('git', ['add', ...changed], { cwd: folder });

function edit(file, change) {
  const path = join(folder, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}
