import type { NamedKeyRow } from '../../accounts/keys/apiKey.sql.js';
import type { ViewRow } from '../analytics/analytics.sql.js';
import type { ReportedError } from '../analytics/report.js';
import { clockText } from '../../shared/clockText.js';
import { dateOf, type StoryStep, told, type ViewStory } from './explanation.js';

/** What each code of the player means, as the second half of a sentence. */
const ERRORS: Readonly<Record<ReportedError['code'], string>> = {
  INVALID_PLAYBACK_TOKEN: 'the player got an invalid token',
  PLAYBACK_TOKEN_EXPIRED: 'the player got an expired token',
  DOMAIN_NOT_ALLOWED: 'the page was not on an allowed site',
  VIDEO_NOT_FOUND: 'the video was deleted',
  VIDEO_NOT_READY: 'nothing of the video played yet',
  ACCOUNT_SUSPENDED: 'the account was suspended',
  SERVICE_UNAVAILABLE: 'the service did not respond as expected',
  NO_TOKEN: 'the player got no token',
  NETWORK: 'the connection was lost',
  DECODE: 'the browser could not decode the video',
  UNSUPPORTED: 'the browser cannot play this video',
};

/** The story of a token that was not exchanged, as far as anybody knows. */
export function storyOfToken(mintedAt: Date): ViewStory {
  const text =
    'No exchange of this token is known. It takes a few seconds until an exchange is, and single views are kept for 30 days.';
  return {
    summary: text,
    steps: [told('minted', mintedAt, 'The token was created.'), told('not_exchanged', null, text)],
  };
}

/** @param key the view's key; `null` if it has none, or it no longer exists */
export function storyOfView(view: ViewRow, key: NamedKeyRow | null): ViewStory {
  const creator =
    view.key_id === null ? 'in the dashboard' : key ? `with the key “${key.name}”` : 'with a key that no longer exists';
  return {
    summary: summaryOf(view),
    steps: [
      told('minted', dateOf(view.minted_at), `The token was created ${creator}.`),
      told('exchanged', view.exchanged_at === null ? null : dateOf(view.exchanged_at), exchangeOf(view), {
        browser: view.browser,
        device: view.device,
        country: view.country || null,
      }),
      ...playbackOf(view),
    ],
  };
}

function exchangeOf({ audience }: ViewRow): string {
  if (audience === 'preview') return 'The owner’s own preview exchanged it. Previews are not in the numbers of views.';
  if (audience === 'bot') return 'A program exchanged it. Bots are not in the numbers of views.';
  return 'A player exchanged it.';
}

function summaryOf(view: ViewRow): string {
  const { seq, startup_ms: startupMs, watched_ms: watchedMs, errors, ended } = view;
  const [first] = errors;
  if (seq === 0) return 'The token was exchanged, and the player has reported nothing since.';
  if (startupMs === null) {
    return first ? `It failed before the first frame: ${ERRORS[first.code]}.` : 'It ended before the first frame.';
  }
  const played = `The picture moved for ${clockText(watchedMs)}`;
  const end = ended ? `${played}, up to the end of the video` : played;
  return errors.length === 0 ? `${end}.` : `${end}, and ${counted(errors.length, 'error')} occurred.`;
}

function playbackOf(view: ViewRow): StoryStep[] {
  if (view.seq === 0 || view.reported_at === null) {
    return [
      told(
        'not_reported',
        null,
        'The player has reported nothing: nobody pressed play, reports are off or blocked, or the page uses another player.',
      ),
    ];
  }
  const { startup_ms: startupMs, watched_ms: watchedMs, stalls, switches } = view;
  const steps = [
    startupMs === null
      ? told('no_first_frame', null, 'Playback was requested, and no first frame came.')
      : told('first_frame', null, `The first frame came ${seconds(startupMs)} after playback was requested.`),
  ];
  if (watchedMs > 0) {
    steps.push(told('watched', null, `The picture moved for ${clockText(watchedMs)}.`, { ranges: rangesOf(view) }));
  }
  if (stalls > 0) {
    const text = `The picture stood still ${counted(stalls, 'time')}, for ${seconds(view.stalled_ms)} in all.`;
    steps.push(told('stalled', null, text));
  }
  if (switches > 0) steps.push(told('switched', null, `The rendition changed ${counted(switches, 'time')}.`));
  for (const { code, atMs } of view.errors) {
    steps.push(told('error', null, `At ${clockText(atMs)} of the video, ${ERRORS[code]}.`, { code }));
  }
  if (view.ended) steps.push(told('ended', null, 'It reached the end of the video.'));
  steps.push(told('last_report', dateOf(view.reported_at), 'The player’s last report that said anything new.'));
  return steps;
}

/** What was watched, as positions in the video. */
function rangesOf({ ranges }: ViewRow): string | null {
  const pairs = Array.from({ length: ranges.length / 2 }, (_, n) => [ranges[2 * n]!, ranges[2 * n + 1]!] as const);
  const shown = pairs.slice(0, 5).map(([from, to]) => `${clockText(from)}–${clockText(to)}`);
  const more = pairs.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ') || null;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** `1.2 s` */
function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
