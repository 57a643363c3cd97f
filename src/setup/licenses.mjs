/**
 * Checks that every package in package-lock.json has a license that Apache-2.0 code may be shipped with. Development
 * packages count: the dashboard and the player are built from them.
 *
 * `node src/setup/licenses.mjs [folder]` exits with 1 and names the packages that do not fit.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { rootDir } from './paths.mjs';

/** Permissive: they require a notice at most. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
]);

/** Reviewed one by one: what each license requires, and why we meet it. */
const ALLOWED_BY_NAME = {
  '@fontsource/noto-sans': ['OFL-1.1'], // A font, embedded in documents, which its license permits.
  argparse: ['PSF-2.0'], // Permissive; runs in tests, unmodified, and is not shipped.
  'axe-core': ['MPL-2.0'], // Runs in tests, unmodified, and is not shipped.
  'fast-sha256': ['Unlicense'], // Public domain; runs in tests, and is not shipped.
  lightningcss: ['MPL-2.0'], // Runs in the build, unmodified, and is not shipped.
};
/** Their package.json does not state it; their readme or license file does. */
const UNSTATED = { 'combine-errors': 'MIT', 'dom-walk': 'MIT', 'png-js': 'MIT' };

const folder = process.argv[2] ?? rootDir;
const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
const unfit = packages.flatMap(([path, entry]) => {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const license = licenseOf(path, entry) ?? UNSTATED[name];
  return license !== undefined && fits(name, license) ? [] : [`${name}: ${license ?? 'no license stated'}`];
});

for (const line of unfit) console.log(line);
if (unfit.length > 0) {
  console.log('Not on the list of licenses in src/setup/licenses.mjs. Read the license before you add it.');
  process.exitCode = 1;
}

/** The license of the installed package, or, for packages of other platforms, the one in the lockfile. */
function licenseOf(path, entry) {
  let installed = entry;
  try {
    installed = JSON.parse(readFileSync(join(folder, path, 'package.json'), 'utf8'));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  return typeof installed.license === 'string' ? installed.license : undefined;
}

/** For `A OR B` one must fit, for `A AND B` both. */
function fits(name, license) {
  const isAllowed = (one) => ALLOWED.has(one) || allowedByName(name).includes(one);
  return license
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every(isAllowed));
}

/** Binaries of a package are separate packages, such as `lightningcss-linux-x64-gnu`. */
function allowedByName(name) {
  const [owner] = Object.keys(ALLOWED_BY_NAME).filter((known) => name === known || name.startsWith(`${known}-`));
  return owner === undefined ? [] : ALLOWED_BY_NAME[owner];
}
