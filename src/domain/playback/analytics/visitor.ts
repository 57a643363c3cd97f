/** Whose view it is. Only viewers are in the numbers that owners see first. */
export type Audience = 'viewer' | 'bot' | 'preview';

export const BROWSERS = ['Chrome', 'Safari', 'Firefox', 'Edge', 'Samsung Internet', 'Opera', 'Other'] as const;
export type Browser = (typeof BROWSERS)[number];
const DEVICES = ['Desktop', 'Phone', 'Tablet', 'TV', 'Other'] as const;
export type Device = (typeof DEVICES)[number];

export interface UserAgent {
  readonly browser: Browser;
  readonly device: Device;
  /** A crawler, a link preview, a program, or a browser that a program drives. */
  readonly isBot: boolean;
}

/** Longer headers are cut before a view waits to be written: a header may have 16 KB. No browser's is half as long. */
export const MAX_USER_AGENT_LENGTH = 512;

const BOT =
  /(?<!cu)bot\b|bots\b|crawl|spider|slurp|preview|headless|facebookexternalhit|facebookcatalog|whatsapp|embedly|^pinterest\/|skypeuripreview|phantomjs|lighthouse|mediapartners-google|feedfetcher|google-inspectiontool|ia_archiver|postmanruntime/i;
/** Libraries and tools of programmers. Not okhttp: apps on Android play with it. */
const PROGRAM =
  /^(?:(?:curl|wget|httpie|python|python-\w+|go-http-client|java|apache-httpclient|libwww-perl|axios|node-fetch|undici|scrapy|deno|bun|php|guzzlehttp|reqwest|insomnia|k6)\/|(?:node|ruby)$|got \(|faraday v|symfony httpclient)|powershell\//i;

/** The first match counts: most browsers also call themselves Chrome and Safari. */
const BROWSER_PATTERNS: readonly (readonly [RegExp, Browser])[] = [
  [/\bedg(?:e|a|ios)?\//i, 'Edge'],
  [/\bopr\/|\bopera\b/i, 'Opera'],
  [/samsungbrowser\//i, 'Samsung Internet'],
  [/firefox\/|fxios\//i, 'Firefox'],
  [/chrome\/|chromium\/|crios\//i, 'Chrome'],
  [/safari\/|applecoremedia\//i, 'Safari'],
];

const DEVICE_PATTERNS: readonly (readonly [RegExp, Device])[] = [
  [/smart-?tv|\btv\b|appletv|apple tv|hbbtv|web0s|tizen(?!.*mobile)|\bcrkey\b|roku|bravia|aft[a-z]{1,4}\b/i, 'TV'],
  [/ipad|tablet|kindle|silk\/|^(?!.*mobile).*android/i, 'Tablet'],
  [/iphone|ipod|mobile|android/i, 'Phone'],
  [/windows|macintosh|x11|linux|cros/i, 'Desktop'],
];

/** Browser family, kind of device, and whether a program sent it. */
export function userAgentOf(header: string | undefined): UserAgent {
  const text = (header ?? '').slice(0, MAX_USER_AGENT_LENGTH);
  return {
    browser: BROWSER_PATTERNS.find(([pattern]) => pattern.test(text))?.[1] ?? 'Other',
    device: DEVICE_PATTERNS.find(([pattern]) => pattern.test(text))?.[1] ?? 'Other',
    isBot: BOT.test(text) || PROGRAM.test(text),
  };
}

/** @returns two upper-case letters, or '' for anything that is not a country, such as Cloudflare's `XX` and `T1` */
export function countryOf(header: string | undefined): string {
  const text = (header ?? '').trim().toUpperCase();
  return /^[A-Z]{2}$/.test(text) && text !== 'XX' && text !== 'ZZ' ? text : '';
}
