import type pg from 'pg';

const QUEUE = `
  insert into public.notice (account_id, key, kind, data, created_at, send_after)
  select $1, 'session:' || $2, 'session.new', $3::jsonb, at.now, at.now
  from (select public.service_now() as now offset 0) at
  on conflict do nothing`;

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
  const { id, userId, network, userAgent } = session;
  const data = { at: new Date().toISOString(), device: deviceOf(userAgent), network };
  await pool.query(QUEUE, [userId, id, JSON.stringify(data)]);
}

/** "Firefox on Windows": what the program says about itself. Anything else is not repeated in an email. */
function deviceOf(userAgent: string): string {
  const find = (list: typeof BROWSERS): string | undefined => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? 'Another program';
}
