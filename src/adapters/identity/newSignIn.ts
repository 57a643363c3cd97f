import type pg from 'pg';

import { execute, sqlOn, statement } from '../../db/sql.js';

const QUEUE = statement<{ accountId: string; sessionId: string; data: string }>(
  'identity_queue_new_sign_in',
  `
    insert into public.notice (account_id, key, kind, data, created_at, send_after)
    select :accountId, 'session:' || :sessionId, 'session.new', :data::jsonb, at.now, at.now
    from (select public.service_now() as now offset 0) at
    on conflict do nothing`,
);

const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  // Each of these also says "Chrome" or "Safari", so they are checked first.
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
];

/** Tells a user by email that somebody signed in with a browser that was not used for their account before. */
export async function queueNewSignIn(
  pool: pg.Pool,
  session: {
    readonly id: string;
    readonly userId: string;
    readonly network: string | null;
    readonly userAgent: string;
  },
): Promise<void> {
  const { id: sessionId, userId, network, userAgent } = session;
  const data = { at: new Date().toISOString(), device: deviceOf(userAgent), network };
  await execute(sqlOn(pool), QUEUE, { accountId: userId, sessionId, data: JSON.stringify(data) });
}

/** "Firefox on Windows": what the program says about itself. Anything else is not repeated in an email. */
function deviceOf(userAgent: string): string {
  const find = (list: typeof BROWSERS): string | undefined => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? 'Another program';
}
