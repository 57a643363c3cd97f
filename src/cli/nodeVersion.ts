import { readFileSync } from 'node:fs';

/** This package's own file: beside src/ and beside dist/. */
const PACKAGE_FILE = new URL('../../package.json', import.meta.url);

/** What is wrong with a Node.js of this version, in one line; `null` where it is new enough. */
export function nodeVersionFault(found: string, lowest: string = lowestNodeVersion()): string | null {
  // By numbers: as text, 100 would come before 22.
  if (found.localeCompare(lowest, 'en', { numeric: true }) >= 0) return null;
  return `Node.js ${lowest} or newer is needed, and this is ${found}. \`npm start\` brings its own.`;
}

/** As `engines` says it, such as '22.17.0'. */
export function lowestNodeVersion(): string {
  const { engines } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { engines: { node: string } };
  return engines.node.replace('>=', '');
}
