/**
 * All words of the interface, by page area: one module each, so that a page loads its own words and no others.
 *
 * Components say `import { words } from '#words/keys.js'`, which is `words/en/keys.ts` (package.json, "imports"). A text
 * with values in it is a function, because word order and plurals differ by language.
 *
 * A second language is a folder beside `en` with the same files, each of type `Words[…]`, so that the compiler finds what
 * is missing: `export const words: Words['keys'] = {…}`. `DASHBOARD_WORDS=<folder> npm run build` takes it in place of
 * English. Its `formats.ts` says in which language numbers and dates are written. The sections of the documentation
 * (docs/sections) are whole documents and are translated as such.
 */
import { words as accessTokens } from './en/accessTokens.js';
import { words as accountPanel } from './en/accountPanel.js';
import { words as analytics } from './en/analytics.js';
import { words as auth } from './en/auth.js';
import { words as bin } from './en/bin.js';
import { words as cancelling } from './en/cancelling.js';
import { words as captions } from './en/captions.js';
import { words as closing } from './en/closing.js';
import { words as docs } from './en/docs.js';
import { words as errors } from './en/errors.js';
import { words as events } from './en/events.js';
import { words as formats } from './en/formats.js';
import { words as home } from './en/home.js';
import { words as keys } from './en/keys.js';
import { words as ledger } from './en/ledger.js';
import { words as moneyNotice } from './en/moneyNotice.js';
import { words as needsYou } from './en/needsYou.js';
import { words as ownerView } from './en/ownerView.js';
import { words as page } from './en/page.js';
import { words as palette } from './en/palette.js';
import { words as parts } from './en/parts.js';
import { words as playback } from './en/playback.js';
import { words as referrals } from './en/referrals.js';
import { words as runningPanel } from './en/runningPanel.js';
import { words as runway } from './en/runway.js';
import { words as sessionDialog } from './en/sessionDialog.js';
import { words as settings } from './en/settings.js';
import { words as shell } from './en/shell.js';
import { words as signIn } from './en/signIn.js';
import { words as support } from './en/support.js';
import { words as supportAccount } from './en/supportAccount.js';
import { words as supportTotals } from './en/supportTotals.js';
import { words as testFaults } from './en/testFaults.js';
import { words as upload } from './en/upload.js';
import { words as video } from './en/video.js';
import { words as videoStates } from './en/videoStates.js';
import { words as videoFilter } from './en/videoFilter.js';
import { words as videos } from './en/videos.js';
import { words as wallet } from './en/wallet.js';
import { words as webhooks } from './en/webhooks.js';

/** English, which defines the texts that every language must have. */
export const english = {
  accessTokens,
  accountPanel,
  analytics,
  auth,
  bin,
  cancelling,
  captions,
  closing,
  docs,
  errors,
  events,
  formats,
  home,
  keys,
  ledger,
  moneyNotice,
  needsYou,
  ownerView,
  page,
  palette,
  parts,
  playback,
  referrals,
  runningPanel,
  runway,
  sessionDialog,
  settings,
  shell,
  signIn,
  support,
  supportAccount,
  supportTotals,
  testFaults,
  upload,
  video,
  videoFilter,
  videoStates,
  videos,
  wallet,
  webhooks,
};

export type Words = typeof english;
