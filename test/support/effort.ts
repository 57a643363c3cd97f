import { env } from 'node:process';

/**
 * `TEST_FULL=1` runs every case, and every race and fault as often as promised, which takes an hour or two. Without it,
 * a selection runs within minutes.
 */
export const IS_FULL = env['TEST_FULL'] === '1';

/** The cases with these names, or all of them with `TEST_FULL=1`. An unknown name is an error. */
export function usually<Case>(cases: readonly Case[], nameOf: (one: Case) => string, names: readonly string[]): Case[] {
  const named = cases.filter((one) => names.includes(nameOf(one)));
  if (named.length !== names.length) throw new Error(`no such case among: ${names.join(', ')}`);
  return IS_FULL ? [...cases] : named;
}
