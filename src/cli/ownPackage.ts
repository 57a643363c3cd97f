import { readFileSync } from 'node:fs';

/** This package's own package.json: the path works from src/, from dist/ and in the image. */
const PACKAGE_FILE = new URL('../../package.json', import.meta.url);

export function ownPackage(): { readonly version: string; readonly engines: { readonly node: string } } {
  return JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as ReturnType<typeof ownPackage>;
}
