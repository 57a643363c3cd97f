/**
 * All words of the interface, by page area: one module each, so that a page loads its own words and no others.
 *
 * Components say `import { words } from '#words/keys.js'`, which is `words/en/keys.ts` (package.json, "imports"). A text
 * with values in it is a function, because word order and plurals differ by language.
 *
 * A second language is a folder beside `en` with the same files, each of type `Words[…]`, so that the compiler finds what
 * is missing: `export const words: Words['keys'] = {…}`. A build takes it in place of English when `#words/*` names its
 * folder. Its `formats.ts` says in which language numbers and dates are written. The sections of the documentation
 * (docs/sections) are whole documents and are translated as such.
 */
import { words as accessTokens } from './en/accessTokens.js';
import { words as auth } from './en/auth.js';
import { words as formats } from './en/formats.js';
import { words as keys } from './en/keys.js';
import { words as referrals } from './en/referrals.js';
import { words as settings } from './en/settings.js';

/** English, which defines what a language has to say. */
export const english = { accessTokens, auth, formats, keys, referrals, settings };

export type Words = typeof english;
