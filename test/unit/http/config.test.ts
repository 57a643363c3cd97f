import { expect, it } from 'vitest';

import { isTrial, loadConfig, publicUrlOf } from '../../../src/config/config.js';

it.each(['https://video.example', 'https://video.example/', 'http://localhost:4000'])(
  '%s is accepted as PUBLIC_URL',
  (text) => {
    expect(publicUrlOf(loadConfig({ PUBLIC_URL: text }))).toBe(new URL(text).origin);
  },
);

it.each([
  'https://video.example/path',
  'https://video.example/?a=1',
  'https://video.example/#a',
  'https://user@video.example',
  'ftp://video.example',
  'video.example',
])('%s is refused as PUBLIC_URL', (text) => {
  expect(() => loadConfig({ PUBLIC_URL: text })).toThrow(/^Wrong setting. PUBLIC_URL: /);
});

it.each([
  [{ PORT: '70000' }, 'PORT'],
  [{ MASTER_KEY: 'short' }, 'MASTER_KEY'],
  [{ DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL'],
  [{ DATABASE_URL: 'postgres://a,b/x?target_session_attrs=first' }, 'DATABASE_URL: target_session_attrs'],
  [{ DATABASE_READ_LAG_SECONDS: '2' }, 'DATABASE_READ_LAG_SECONDS'],
  [{ NODE_ENV: 'production' }, 'PUBLIC_URL, DATABASE_URL, MASTER_KEY, SMTP_URL'],
])('%j is refused in one line that names the setting', (wrong, names) => {
  expect(() => loadConfig(wrong)).toThrow(new RegExp(`^.*${names}.*$`, 'v'));
});

const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://video.example',
  TRUST_PROXY: '1',
  DATABASE_URL: 'postgres://dhara_app@db/dhara',
  MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  SMTP_URL: 'smtp://mail.example',
};

it.each([
  [
    'an address without TLS',
    { PUBLIC_URL: 'http://video.example' },
    /^PUBLIC_URL: production needs an https address.*$/,
  ],
  ['a loopback address without TLS', { PUBLIC_URL: 'http://localhost:4000' }, /^PUBLIC_URL: production needs .*$/],
  ['visitors who all have the address of a proxy', { TRUST_PROXY: '' }, /^TRUST_PROXY: not set.*TRUST_PROXY=1.*$/],
  ['another time', { CLOCK_OFFSET_SECONDS: '60' }, /^CLOCK_OFFSET_SECONDS: .*$/],
  ['a demo account', { SEED_DEMO: 'true' }, /^SEED_DEMO: .*$/],
  ['play money', { PAYMENT_SANDBOX: 'true' }, /^PAYMENT_SANDBOX: .*$/],
])('production refuses %s', (_, wrong, message) => {
  expect(loadConfig(PRODUCTION).NODE_ENV).toBe('production');
  expect(() => loadConfig({ ...PRODUCTION, ...wrong })).toThrow(message);
});

it.each(['0', '1', '2'])('production accepts TRUST_PROXY=%s if it is set explicitly', (TRUST_PROXY) => {
  expect(loadConfig({ ...PRODUCTION, TRUST_PROXY }).TRUST_PROXY).toBe(Number(TRUST_PROXY));
});

it('TRUST_PROXY is required only of processes that serve visitors', () => {
  const { TRUST_PROXY: _, ...unsaid } = PRODUCTION;
  expect(loadConfig(unsaid, { servesVisitors: false }).TRUST_PROXY).toBe(0);
  expect(() => loadConfig(unsaid, { servesVisitors: true })).toThrow(/^TRUST_PROXY: /);
  expect(() => loadConfig(unsaid)).toThrow(/^TRUST_PROXY: /);
});

const PUBLIC = { DATABASE_URL: 'postgres://dhara_app@db/dhara', PUBLIC_URL: 'https://video.example' };

it.each([
  PUBLIC,
  { ...PUBLIC, NODE_ENV: '' },
  { ...PUBLIC, PUBLIC_URL: 'http://video.example' },
  { ...PUBLIC, PUBLIC_URL: 'http://192.0.2.1:4000' },
  { ...PUBLIC, PUBLIC_URL: 'https://127.0.0.1.example' },
  { ...PUBLIC, PAYMENT_SANDBOX: 'true' },
  { ...PUBLIC, PAYMENT_SANDBOX: 'false', GRAPHQL_INTROSPECTION: 'false' },
])('a public service with its own database must set NODE_ENV: %j is refused', (settings) => {
  expect(() => loadConfig(settings)).toThrow(/^NODE_ENV: .*Set NODE_ENV=production .*sandbox payments.*$/);
});

it.each([
  { ...PUBLIC, NODE_ENV: 'development' },
  { ...PUBLIC, NODE_ENV: 'test' },
  { DATABASE_URL: PUBLIC.DATABASE_URL },
  ...[
    'http://localhost:4000',
    'https://localhost',
    'http://127.0.0.1:4000',
    'http://[::1]:4000',
    'http://a.localhost',
  ].map((url) => ({ ...PUBLIC, PUBLIC_URL: url })),
  { PUBLIC_URL: PUBLIC.PUBLIC_URL },
])('NODE_ENV is optional with %j', (settings) => {
  expect(loadConfig(settings).NODE_ENV).not.toBe('production');
});

it.each([
  [{}, true],
  [{ PUBLIC_URL: 'https://video.example' }, true],
  [{ DATABASE_URL: PUBLIC.DATABASE_URL }, false],
  [{ ...PUBLIC, NODE_ENV: 'development' }, false],
  [PRODUCTION, false],
])('isTrial of %j is %j', (settings, trial) => {
  expect(isTrial(loadConfig(settings))).toBe(trial);
});
