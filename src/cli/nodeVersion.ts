import { ownPackage } from './ownPackage.js';

/** One line that says what is wrong with this Node.js version; `null` if it is new enough. */
export function nodeVersionFault(found: string, lowest: string = lowestNodeVersion()): string | null {
  // Compare as numbers: as text, 100 would come before 22.
  if (found.localeCompare(lowest, 'en', { numeric: true }) >= 0) return null;
  return `Node.js ${lowest} or newer is needed, and this is ${found}. \`npm start\` brings its own.`;
}

/** The version in `engines`, such as '22.17.0'. */
export function lowestNodeVersion(): string {
  return ownPackage().engines.node.replace('>=', '');
}
