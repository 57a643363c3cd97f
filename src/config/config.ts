import { isIP } from 'node:net';
import { join, resolve } from 'node:path';

import { z } from 'zod';

import { addressFault } from '../db/databaseAddress.js';
import { PAYMENT_SETTINGS, paymentSettingsFault } from './paymentSettings.js';
import { SELLER_SETTINGS } from './sellerSettings.js';
import { STORE_SETTINGS, storeSettingsFault } from './storeSettings.js';

const days = (min: number, byDefault: number) => z.coerce.number().int().min(min).max(3650).default(byDefault);

/** How long data is kept that the books do not need. docs/operations.md has a table of all of it. */
const RETENTION_SETTINGS = {
  EVENT_DAYS: days(7, 90).describe('days that events, webhook deliveries and their attempts are kept; at least 7'),
  VIDEO_CHANGE_DAYS: days(1, 90).describe('days that the activity of a video says who changed it'),
  VIEW_DAYS: days(2, 30).describe('days that single views, and what players reported of them, are kept; at least 2'),
  VIEW_HOUR_MONTHS: z.coerce
    .number()
    .int()
    .min(2)
    .max(120)
    .default(13)
    .describe('months that hourly counts of views are kept; daily counts stay'),
  EMAIL_DAYS: days(7, 90).describe('days that the text of emails to owners is kept after they were sent or given up'),
  QUOTE_DAYS: days(1, 30).describe('days that an expired quote without a purchase is kept'),
  JOB_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(24 * 30)
    .default(24)
    .describe('hours that finished jobs are kept; those of chunks and per-minute chores are kept for an hour'),
};

/** A wrong setting. The message is one line for the person at the terminal. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');
const url = (...protocols: string[]) =>
  z.string().refine((text) => protocols.includes(URL.parse(text)?.protocol ?? ''), {
    error: `must be an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    abort: true,
  });
const databaseUrl = z.string().superRefine((text, context) => {
  const message = addressFault(text);
  if (message !== null) context.addIssue({ code: 'custom', message });
});
/** Cookies, CSRF checks and issued URLs use the origin, so a path would be silently dropped. */
const origin = url('http:', 'https:').refine((text) => {
  const address = URL.parse(text);
  return address !== null && address.href === `${address.origin}/`;
}, 'must be an origin without a path, such as https://video.example');
const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const isMasterKey = (text: string): boolean => Buffer.from(text, 'base64').length === 32;
const previousKeys = (text: string): string[] => text.split(',').map((key) => key.trim());
const masterKey = z.string().refine(isMasterKey, 'must be 32 bytes in base64 (openssl rand -base64 32)');

const isNetwork = (text: string): boolean => {
  const [address = '', bits = '', ...rest] = text.trim().split('/');
  return (
    rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (isIP(address) === 4 ? 32 : 128) && isIP(address) > 0
  );
};

/** All settings. `dhara --help` prints the descriptions. */
const SETTINGS = z.object({
  NODE_ENV: z
    .enum(['development', 'production', 'test'])
    .default('development')
    .describe('`production` refuses what is for development only; a public service must set it'),
  HOST: z.string().default('127.0.0.1').describe('address to listen on'),
  PORT: whole(0, 65_535).default(4000).describe('port to listen on; 0 takes a free one'),
  METRICS_HOST: z.string().default('127.0.0.1').describe('address that METRICS_PORT listens on'),
  METRICS_PORT: whole(0, 65_535)
    .optional()
    .describe(
      'port of /metrics for Prometheus; 0 takes a free one, which is logged (default: a free one outside production with the embedded database, none elsewhere)',
    ),
  PUBLIC_URL: origin.optional().describe('address that browsers use, without a path (default: http://localhost:PORT)'),
  DATA_DIR: z.string().min(1).default('.data').describe('folder for the database, videos and keys'),
  DATABASE_URL: databaseUrl
    .optional()
    .describe(
      'PostgreSQL 15 or newer, as the role the service runs as; of several servers (postgres://user@a,b/name?target_session_attrs=read-write) the primary is used (default: embedded, under DATA_DIR)',
    ),
  DATABASE_MIGRATION_URL: databaseUrl
    .optional()
    .describe('the same database as the role that owns the tables (default: DATABASE_URL)'),
  DATABASE_READ_URL: databaseUrl
    .optional()
    .describe('a standby for the dashboard’s lists and analytics, as the role of DATABASE_URL (default: none)'),
  // How far it is behind is known to within two seconds.
  DATABASE_READ_LAG_SECONDS: whole(3, 3600)
    .default(10)
    .describe('how far that standby may be behind; beyond it, DATABASE_URL is read'),
  DATABASE_POOL_SIZE: whole(2, 500).default(20).describe('connections per process'),
  MASTER_KEY: masterKey
    .optional()
    .describe(
      '32 bytes in base64 that encrypt the keys of tokens and videos and sign grants (default: made under DATA_DIR)',
    ),
  MASTER_KEY_PREVIOUS: z
    .string()
    .refine((text) => previousKeys(text).every(isMasterKey), 'must be master keys with commas between them')
    .optional()
    .describe('master keys that stored secrets may still be encrypted under, comma separated; see `dhara keys rewrap`'),
  ...STORE_SETTINGS,
  TRUST_PROXY: whole(0, 10)
    .default(0)
    .describe(
      'how many proxies in front append the caller’s address to X-Forwarded-For; required in production for `api` and `all`',
    ),
  COUNTRY_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a header, such as CF-IPCountry')
    .optional()
    .describe(
      'header in which a proxy in front tells the viewer’s country by two letters, such as CF-IPCountry, for analytics (default: none)',
    ),
  VIEW_REPORTS: z
    .string()
    .regex(/^ndjson:.+$/, 'must be ndjson:stdout or ndjson: and a path')
    .optional()
    .describe(
      'also writes views and reports of players as newline-delimited JSON, to ndjson:stdout or ndjson:/path/to/file (default: to PostgreSQL alone)',
    ),
  WEB_CONCURRENCY: z
    .union([z.literal('auto'), whole(1, 256)])
    .default(1)
    .describe('processes that `dhara api` serves its port with; `auto` for one per core. Needs DATABASE_URL'),
  MAX_CONNECTIONS: whole(10, 1_000_000)
    .optional()
    .describe(
      'open connections per process; beyond it idle ones are closed (default: half the open files, 10000 at most)',
    ),
  MAX_CONNECTIONS_PER_ADDRESS: whole(1, 1_000_000)
    .default(512)
    .describe('the same for one address, or IPv6 /64; not counted behind a trusted proxy'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('minimum log level'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http:', 'https:')
    .optional()
    .describe(
      'address of an OpenTelemetry collector that traces are sent to, by OTLP over HTTP, such as http://localhost:4318 (default: no traces)',
    ),
  OTEL_SERVICE_NAME: z.string().min(1).max(100).default('dhara').describe('name of this service in traces'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('share of traces that are kept, from 0 to 1'),
  FFMPEG_PATH: z
    .string()
    .optional()
    .describe('ffmpeg program (default: the one on PATH); ffprobe is looked for beside it'),
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin').describe('folders to look for ffmpeg in'),
  WORKER_CONCURRENCY: whole(1, 64)
    .optional()
    .describe(
      'videos, or chunks of other workers’ videos, that one worker encodes at a time, with a small one beside each (default: one for every four cores)',
    ),
  WORKER_MEMORY_BYTES: whole(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe(
      'memory that these may take together, small ones a tenth on top (default: two thirds of what the machine or its container has)',
    ),
  CHUNKS_FROM_SECONDS: whole(1, 1_000_000)
    .default(600)
    .describe('videos at least this long are encoded in chunks, by all workers with a slot to spare'),
  CHUNK_SECONDS: whole(8, 3600).default(120).describe('length of such a chunk'),
  MAX_UPLOAD_BYTES: whole(1, Number.MAX_SAFE_INTEGER).default(50_000_000_000).describe('largest upload'),
  UPLOAD_FREE_BYTES: whole(0, Number.MAX_SAFE_INTEGER)
    .default(5_000_000_000)
    .describe('bytes of unprocessed files that an account may keep without credits'),
  UPLOAD_PAID_MONTHS: whole(1, 120)
    .default(1)
    .describe(
      'for what it keeps beyond UPLOAD_FREE_BYTES, an account’s credits must pay for this many months of storage',
    ),
  UPLOAD_ROOM_SHARE_PERCENT: whole(1, 100)
    .default(50)
    .describe('percentage of the free disk space that open uploads of one account may reserve'),
  UPLOAD_EXPIRY_HOURS: whole(1, 24 * 30)
    .default(24)
    .describe('an upload that is not continued for this long is removed'),
  SMTP_URL: url('smtp:', 'smtps:').optional().describe('mail server (default: emails are written to DATA_DIR/mail)'),
  MAIL_FROM: z.string().default('Dhara <no-reply@localhost>').describe('sender of emails'),
  ALERT_MAIL_TO: z
    .string()
    .optional()
    .describe('where alerts are emailed to (default: they are logged and listed only)'),
  ADJUSTMENT_LIMIT_CREDITS: whole(0, 1_000_000_000)
    .default(1000)
    .describe(
      'credits one member of staff may correct and refund on one UTC day, over all accounts, without a second person',
    ),
  LEDGER_SEALS_DIR: z
    .string()
    .optional()
    .describe(
      'where the heads of sealed ledger blocks are kept, best where the database cannot write (default: DATA_DIR/seals)',
    ),
  ...PAYMENT_SETTINGS,
  ...SELLER_SETTINGS,
  ...RETENTION_SETTINGS,
  WEBHOOK_ALLOW_HTTP: flag
    .default(false)
    .describe('`true` also allows webhook endpoints with http://, for development'),
  WEBHOOK_ALLOWED_NETWORKS: z
    .string()
    .refine(
      (text) => text.split(',').every(isNetwork),
      'must be networks such as 10.1.0.0/16, with commas between them',
    )
    .optional()
    .describe('private networks that webhooks may be sent to, comma separated (default: only public addresses)'),
  GRAPHQL_INTROSPECTION: flag.optional().describe('`true` allows it in production, `false` forbids it elsewhere'),
  CLOCK_OFFSET_SECONDS: whole(-1_000_000_000, 1_000_000_000)
    .default(0)
    .describe('moves the service’s clock, for trying out midnights; refused in production'),
  SEED_DEMO: flag
    .optional()
    .describe('make the demo account on first start; refused in production (default: with the embedded database)'),
});

type Settings = z.infer<typeof SETTINGS>;

/** The checked settings of this process. */
export type Config = Readonly<Settings>;

/**
 * Reads and checks all settings. Empty values count as not set.
 *
 * @param servesVisitors whether this process answers visitors: a worker or a command has no proxy in front
 * @throws ConfigError with a line that names every wrong setting and what is wrong with it.
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  { servesVisitors = true }: { readonly servesVisitors?: boolean } = {},
): Config {
  const given = Object.fromEntries(
    Object.keys(SETTINGS.shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const parsed = SETTINGS.safeParse(given);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`Wrong setting. ${wrong.join('; ')}`);
  }
  const config = parsed.data;
  const fault =
    unstatedFault(given, config) ??
    readFault(config) ??
    productionFault(config) ??
    (servesVisitors ? proxyFault(given, config) : null) ??
    paymentSettingsFault(config, config.NODE_ENV === 'production') ??
    storeSettingsFault(config);
  if (fault !== null) throw new ConfigError(fault);
  return config;
}

/**
 * Development is the default, for those who try the service out. But a service with its own database and a public
 * address must not get play money, introspection and ffmpeg without a sandbox because of a forgotten setting.
 */
function unstatedFault(given: Record<string, unknown>, { DATABASE_URL, PUBLIC_URL }: Settings): string | null {
  if (given['NODE_ENV'] !== undefined || !DATABASE_URL || !PUBLIC_URL || isLoopback(PUBLIC_URL)) return null;
  return 'NODE_ENV: not set, though DATABASE_URL and PUBLIC_URL are those of a public service. Set NODE_ENV=production (NODE_ENV=development allows sandbox payments and other conveniences)';
}

function readFault({ DATABASE_URL, DATABASE_READ_URL }: Settings): string | null {
  if (DATABASE_READ_URL === undefined || DATABASE_URL !== undefined) return null;
  return 'DATABASE_READ_URL: the embedded database has no standby. Set DATABASE_URL to the primary';
}

function isLoopback(address: string): boolean {
  const { hostname } = new URL(address);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

/** What production refuses. Payments, ffmpeg's sandbox and the database's role are checked by their own code. */
function productionFault(config: Settings): string | null {
  if (config.NODE_ENV !== 'production') return null;
  const missing = (['PUBLIC_URL', 'DATABASE_URL', 'MASTER_KEY', 'SMTP_URL'] as const).filter((name) => !config[name]);
  if (missing.length > 0) return `Missing setting in production: ${missing.join(', ')}`;
  if (!config.PUBLIC_URL?.startsWith('https:')) {
    return 'PUBLIC_URL: production needs an https address, or passwords and cookies travel in the clear (TLS may end in a proxy in front)';
  }
  if (config.CLOCK_OFFSET_SECONDS !== 0) return 'CLOCK_OFFSET_SECONDS: production uses the real time';
  if (config.SEED_DEMO) return 'SEED_DEMO: the demo account has free credits, which production does not give';
  return null;
}

/**
 * With an https address, a proxy in front terminates TLS. Without this setting, all visitors would share the proxy's
 * address, and the mistakes of one would lock out everyone.
 */
function proxyFault(given: Record<string, unknown>, { NODE_ENV }: Settings): string | null {
  if (NODE_ENV !== 'production' || given['TRUST_PROXY'] !== undefined) return null;
  return 'TRUST_PROXY: not set, though a proxy in front must terminate TLS for PUBLIC_URL. Set TRUST_PROXY=1 for one proxy that sends X-Forwarded-For, more for a chain of them, or 0 if callers connect with their own addresses';
}

/** A trial service: it uses the embedded database and is not set to production. */
export function isTrial(config: Config): boolean {
  return config.NODE_ENV !== 'production' && !config.DATABASE_URL;
}

/** Earlier master keys, 32 bytes each. */
export function previousMasterKeysOf(config: Config): Buffer[] {
  const { MASTER_KEY_PREVIOUS: text } = config;
  return text === undefined ? [] : previousKeys(text).map((key) => Buffer.from(key, 'base64'));
}

/** The folder of the heads of sealed blocks, absolute. */
export function sealsDirOf(config: Config): string {
  return resolve(config.LEDGER_SEALS_DIR ?? join(config.DATA_DIR, 'seals'));
}

/** The URL that browsers use, without a trailing slash. */
export function publicUrlOf(config: Config): string {
  return new URL(config.PUBLIC_URL ?? `http://localhost:${config.PORT}`).origin;
}

/** One line per setting: name, default, meaning. */
export function describeSettings(): string {
  return Object.entries(SETTINGS.shape)
    .map(([name, schema]) => {
      const fallback = schema.safeParse(undefined).data;
      const shown = fallback === undefined ? '' : ` [${String(fallback)}]`;
      return `  ${name.padEnd(28)}${schema.description ?? ''}${shown}`;
    })
    .join('\n');
}
