import { z } from 'zod';

const address = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => protocols.includes(URL.parse(text)?.protocol ?? ''),
      `must be an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    );
const origin = address('http:', 'https:').refine((text) => {
  const url = URL.parse(text);
  return url !== null && url.href === `${url.origin}/`;
}, 'must be an origin without a path, such as https://cdn.example');
const kind = z.enum(['disk', 's3']);
/** Plain names, each followed by a slash. */
const keyPrefix = z
  .string()
  .regex(/^([A-Za-z0-9_-][A-Za-z0-9._-]*(\/|$))+$/, 'must be names with slashes between them')
  .transform((text) => (text.endsWith('/') ? text : `${text}/`));

/** The settings about where videos are stored and how they are delivered, as part of all settings. */
export const STORE_SETTINGS = {
  STORE: kind.optional().describe('where videos are stored (default: s3 where S3_BUCKET is set, disk elsewhere)'),
  STORE_FALLBACK: kind.optional().describe('where videos are read that STORE does not have yet; see `store move`'),
  S3_ENDPOINT: address('http:', 'https:')
    .optional()
    .describe('address of the S3 service (default: AWS’s own of S3_REGION)'),
  S3_REGION: z.string().optional().describe('its region; `auto` for Cloudflare R2'),
  S3_BUCKET: z.string().optional().describe('the bucket for videos'),
  S3_PREFIX: keyPrefix.optional().describe('prefix of keys in the bucket, such as `dhara/` (default: nothing)'),
  S3_ACCESS_KEY_ID: z.string().optional().describe('name of the key that may use the bucket'),
  S3_SECRET_ACCESS_KEY: z.string().optional().describe('its secret'),
  S3_FORCE_PATH_STYLE: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('`true` requests ENDPOINT/BUCKET/KEY instead of BUCKET.ENDPOINT/KEY (default: with S3_ENDPOINT)'),
  SEGMENT_DELIVERY: z
    .enum(['service', 'presigned', 'accel'])
    .default('service')
    .describe(
      'how players get segments: from this service; `presigned` from the S3 bucket; `accel` from the nginx in front, which reads them from the disk',
    ),
  SEGMENT_CACHE_MB: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(64)
    .describe('memory of each process for segments and pictures that are watched now, in MB; 0 keeps none'),
  CDN_URL: origin.optional().describe('CDN in front of the S3 bucket that checks grants; players fetch segments there'),
};

const schema = z.object(STORE_SETTINGS);
export type StoreSettings = Readonly<z.infer<typeof schema>>;

const REQUIRED = ['S3_REGION', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
const OPTIONAL = ['S3_ENDPOINT', 'S3_PREFIX', 'S3_FORCE_PATH_STYLE'] as const;

/** Says in one line which settings contradict each other. `null` if they are consistent. */
export function storeSettingsFault(settings: StoreSettings): string | null {
  const { kind: main, fallback } = storesOf(settings);
  const given = [...REQUIRED, ...OPTIONAL].some((name) => settings[name] !== undefined);
  if (given || main === 's3' || fallback === 's3') {
    const missing = REQUIRED.filter((name) => settings[name] === undefined);
    if (missing.length > 0) return `Missing setting for the S3 store: ${missing.join(', ')}`;
  }
  if (main === fallback) return 'STORE_FALLBACK: must differ from STORE';
  if (settings.SEGMENT_DELIVERY === 'accel' && (main === 's3' || fallback === 's3')) {
    return 'SEGMENT_DELIVERY: nginx sends segments from the disk store only';
  }
  if (main === 's3') return null;
  if (settings.SEGMENT_DELIVERY === 'presigned') return 'SEGMENT_DELIVERY: only the S3 store has presigned addresses';
  return settings.CDN_URL === undefined ? null : 'CDN_URL: the CDN fetches from the S3 store only';
}

/** Where videos are stored, and where else to look for them. */
export function storesOf(settings: StoreSettings) {
  const { STORE, STORE_FALLBACK: fallback, S3_BUCKET } = settings;
  return { kind: STORE ?? (S3_BUCKET === undefined ? 'disk' : 's3'), fallback } as const;
}

/** How to reach the bucket. `null` if no bucket is set. */
export function bucketOf(settings: StoreSettings) {
  const { S3_REGION: region, S3_BUCKET: bucket, S3_ENDPOINT: endpoint, S3_PREFIX: prefix = '' } = settings;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  if (!region || !bucket || !accessKeyId || !secretAccessKey) return null;
  const forcePathStyle = settings.S3_FORCE_PATH_STYLE ?? endpoint !== undefined;
  return { region, bucket, accessKeyId, secretAccessKey, endpoint, prefix, forcePathStyle };
}
