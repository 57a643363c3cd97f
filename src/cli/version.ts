import { readFileSync } from 'node:fs';

/** The version in package.json, which lies beside `dist` in a checkout and in the image. */
export function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
