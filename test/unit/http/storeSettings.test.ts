import { describe, expect, it } from 'vitest';

import { loadConfig } from '../../../src/config/config.js';
import { bucketOf, storesOf } from '../../../src/config/storeSettings.js';

const KEY = { S3_REGION: 'auto', S3_BUCKET: 'videos', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };

describe('the stores chosen by the settings', () => {
  it.each([
    [{}, { kind: 'disk', fallback: undefined }],
    [KEY, { kind: 's3', fallback: undefined }],
    [
      { ...KEY, STORE_FALLBACK: 'disk' },
      { kind: 's3', fallback: 'disk' },
    ],
    [
      { ...KEY, STORE: 'disk' },
      { kind: 'disk', fallback: undefined },
    ],
    [
      { ...KEY, STORE: 'disk', STORE_FALLBACK: 's3' },
      { kind: 'disk', fallback: 's3' },
    ],
  ])('are valid for %j', (env, stores) => {
    expect(storesOf(loadConfig(env))).toEqual(stores);
  });

  it.each([
    [{ S3_BUCKET: 'videos' }, 'Missing setting for the S3 store: S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY'],
    [{ ...KEY, S3_BUCKET: '' }, 'Missing setting for the S3 store: S3_BUCKET'],
    [{ S3_ENDPOINT: 'http://s3.example', STORE: 'disk' }, /^Missing setting for the S3 store: S3_REGION, S3_BUCKET/],
    [{ STORE: 's3' }, /^Missing setting for the S3 store: S3_REGION, /],
    [{ STORE_FALLBACK: 's3' }, /^Missing setting for the S3 store: /],
    [{ STORE_FALLBACK: 'disk' }, /^STORE_FALLBACK: /],
    [{ ...KEY, STORE_FALLBACK: 's3' }, /^STORE_FALLBACK: /],
    [{ SEGMENT_DELIVERY: 'presigned' }, /^SEGMENT_DELIVERY: /],
    [{ CDN_URL: 'https://cdn.example' }, /^CDN_URL: /],
    [{ ...KEY, CDN_URL: 'https://cdn.example/path' }, /^Wrong setting. CDN_URL: /],
    [{ ...KEY, S3_ENDPOINT: 's3.example' }, /^Wrong setting. S3_ENDPOINT: /],
    [{ ...KEY, S3_PREFIX: '../videos' }, /^Wrong setting. S3_PREFIX: /],
    [{ ...KEY, S3_PREFIX: 'a//b' }, /^Wrong setting. S3_PREFIX: /],
    [{ ...KEY, STORE: 'tape' }, /^Wrong setting. STORE: /],
  ])('are refused by name for %j', (env, message) => {
    expect(() => loadConfig(env)).toThrow(message);
  });
});

describe('the bucket', () => {
  it('is addressed by path for other services than AWS, unless set otherwise', () => {
    const endpoint = { ...KEY, S3_ENDPOINT: 'https://s3.example' };
    expect(bucketOf(loadConfig(KEY))).toMatchObject({ endpoint: undefined, forcePathStyle: false });
    expect(bucketOf(loadConfig(endpoint))).toMatchObject({ endpoint: 'https://s3.example', forcePathStyle: true });
    expect(bucketOf(loadConfig({ ...endpoint, S3_FORCE_PATH_STYLE: 'false' }))?.forcePathStyle).toBe(false);
    expect(bucketOf(loadConfig({}))).toBeNull();
  });

  it.each([
    [undefined, ''],
    ['dhara', 'dhara/'],
    ['a/b.c/', 'a/b.c/'],
  ])('accepts the prefix %j', (given, prefix) => {
    expect(bucketOf(loadConfig({ ...KEY, S3_PREFIX: given }))?.prefix).toBe(prefix);
  });
});
