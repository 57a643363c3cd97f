import type { Mutant } from './mutant.js';

const VIDEO = 'src/domain/playback/playableVideos.ts';
const SIGNING = 'src/domain/playback/signingKeys.ts';
const MINT = 'src/domain/playback/mint.sql.ts';
const GRANTED = 'src/domain/playback/grantedTokens.ts';
const QUEUE = 'src/domain/playback/mintQueue.ts';
const GRANTS = 'src/domain/playback/grants.ts';
const TOKEN = 'src/domain/playback/playbackToken.ts';
const RULES = 'src/domain/playback/exchangeRules.ts';
const QUOTA_EVENTS = 'src/domain/accounts/keys/quotaEvents.ts';
const SITES = 'src/domain/accounts/allowedSites.ts';
const QUOTA_TESTS = ['test/service/contract/token.test.ts', 'test/faults/concurrency'];
const GRANT_TESTS = ['test/unit/playback/grants.test.ts', 'test/service/delivery/grants.test.ts'];
const MANIFEST_TESTS = ['test/service/contract/manifest.test.ts'];

export const playbackMutants: readonly Mutant[] = [
  {
    name: 'a used-up key’s row is written again',
    file: MINT,
    from: 'const MAY_MINT = `k.revoked_at is null and not k.suspended and k.daily_limit > ',
    to: 'const MAY_MINT = `k.revoked_at is null and not k.suspended and k.daily_limit >= ',
    tests: ['test/service/contract/token.test.ts'],
    survives: 'The row is written where nothing is granted: `least` still grants nothing, and the answer is the same.',
  },
  {
    name: 'a revoked key mints',
    file: MINT,
    from: 'const MAY_MINT = `k.revoked_at is null and not k.suspended',
    to: 'const MAY_MINT = `not k.suspended',
    tests: QUOTA_TESTS,
  },
  {
    name: 'a suspended account mints',
    file: MINT,
    from: 'const MAY_MINT = `k.revoked_at is null and not k.suspended and',
    to: 'const MAY_MINT = `k.revoked_at is null and',
    tests: QUOTA_TESTS,
  },
  {
    name: 'a batch takes more than is left',
    file: MINT,
    from: 'greatest(least(${playable}, k.daily_limit - ${usedAt(',
    to: 'greatest(greatest(${playable}, k.daily_limit - ${usedAt(',
    tests: QUOTA_TESTS,
  },
  {
    name: 'the count is not begun again at midnight',
    file: MINT,
    from: '> k.usage_day then 0 else k.used end`',
    to: '> k.usage_day then k.used else k.used end`',
    tests: QUOTA_TESTS,
  },
  {
    name: 'a deleted video is played',
    file: MINT,
    from: 'and v.account_id = k.account_id and v.id = :videoId and v.deleted_at is null and',
    to: 'and v.account_id = k.account_id and v.id = :videoId and',
    tests: ['test/service/contract/token.test.ts'],
    survives:
      'A deletion empties playable_rungs in the statement that sets deleted_at; the condition is a second wall.',
  },
  {
    name: 'another account’s video is played',
    file: MINT,
    from: 'and v.account_id = k.account_id and v.id = :videoId and v.deleted_at is null and',
    to: 'and v.id = :videoId and v.deleted_at is null and',
    tests: QUOTA_TESTS,
  },
  {
    name: 'a video of which nothing plays gets a token',
    file: MINT,
    from: "v.deleted_at is null and cardinality(v.playable_rungs) > 0\n    returning ${TAKEN}, '+' as states`",
    to: "v.deleted_at is null\n    returning ${TAKEN}, '+' as states`",
    tests: QUOTA_TESTS,
  },
  {
    name: 'a key whose row is held keeps those waiting that share its statement',
    file: MINT,
    from: 'for no key update skip locked',
    to: 'for no key update',
    tests: ['test/faults/concurrency/quotaManyKeys.test.ts'],
  },
  {
    name: 'a key that may not mint does, beside others',
    file: MINT,
    from: 'k.id = free.id and ${MAY_MINT}',
    to: 'k.id = free.id',
    tests: ['test/faults/concurrency/quotaManyKeys.test.ts'],
  },
  {
    name: 'Remaining is one too many',
    file: GRANTED,
    from: '    this.left -= 1;\n',
    to: '',
    tests: QUOTA_TESTS,
  },
  {
    name: 'a 429 tells to wait one second less',
    file: GRANTED,
    from: 'Math.ceil(midnight - this.row.now_epoch)',
    to: 'Math.floor(midnight - this.row.now_epoch)',
    tests: ['test/unit/playback/lastSecond.test.ts'],
  },
  {
    name: 'a used-up quota is told after a missing video',
    file: GRANTED,
    from: 'return this.left === 0 ? this.exceeded() : null;',
    to: 'return null;',
    tests: QUOTA_TESTS,
  },
  {
    name: 'videos of one batch are counted once each',
    file: QUEUE,
    from: 'counts.set(videoId, (counts.get(videoId) ?? 0) + 1)',
    to: 'counts.set(videoId, 1)',
    tests: QUOTA_TESTS,
  },
  {
    name: 'a grant that is over opens',
    file: GRANTS,
    from: 'if (expiresAt <= nowEpochSeconds) return null;',
    to: 'if (expiresAt < nowEpochSeconds) return null;',
    tests: GRANT_TESTS,
  },
  {
    name: 'a grant opens any video',
    file: GRANTS,
    from: '  writeUuid(signed, videoId, PAYLOAD_BYTES);\n',
    to: '  signed.fill(0, PAYLOAD_BYTES);\n',
    tests: GRANT_TESTS,
  },
  {
    name: 'a forged grant opens',
    file: GRANTS,
    from: 'if (!timingSafeEqual(expected, bytes.subarray(PAYLOAD_BYTES))) return null;',
    to: 'if (!timingSafeEqual(expected, expected)) return null;',
    tests: GRANT_TESTS,
  },
  {
    name: 'a grant ends with the video',
    file: GRANTS,
    from: 'Math.ceil(durationMs / 1000) + MARGIN_SECONDS',
    to: 'Math.ceil(durationMs / 1000)',
    tests: [...GRANT_TESTS, ...MANIFEST_TESTS],
  },
  {
    name: 'a forged token plays',
    file: TOKEN,
    from: 'isSignedBy(key, `${header}.${payload}`, signature) ? checkedClaims(payload, this.issuer) : null;',
    to: 'signature ? checkedClaims(payload, this.issuer) : null;',
    tests: MANIFEST_TESTS,
  },
  {
    name: 'a token that was signed here outlives its key',
    file: TOKEN,
    from: 'if (signer && this.mayVerify(signer, known.claims)) return known.claims;',
    to: 'if (known) return known.claims;',
    tests: MANIFEST_TESTS,
  },
  {
    name: 'a replaced key verifies live tokens for as long as those of test mode',
    file: TOKEN,
    from: 'return testClockSeconds !== null || this.keys.inForce(key);',
    to: 'return true;',
    tests: MANIFEST_TESTS,
  },
  {
    name: 'a token of another issuer plays',
    file: TOKEN,
    from: 'const isOurs = iss === issuer && aud === AUDIENCE',
    to: 'const isOurs = iss !== undefined && issuer !== "" && aud === AUDIENCE',
    tests: MANIFEST_TESTS,
  },
  {
    name: 'a token for another audience plays',
    file: TOKEN,
    from: "aud === AUDIENCE && typeof exp === 'number'",
    to: "aud !== undefined && typeof exp === 'number'",
    tests: MANIFEST_TESTS,
  },
  {
    name: 'a token lives six minutes',
    file: SIGNING,
    from: 'export const TOKEN_LIFETIME_SECONDS = 300;',
    to: 'export const TOKEN_LIFETIME_SECONDS = 360 as 300;',
    tests: ['test/service/contract/token.test.ts'],
  },
  {
    name: 'a warning about the quota comes one percent late',
    file: QUOTA_EVENTS,
    from: 'const WARNING_PERCENT = 80;',
    to: 'const WARNING_PERCENT = 81;',
    tests: ['test/db/keys/quotaEvents.test.ts'],
  },
  {
    name: 'a used-up quota is told again with each change of it',
    file: QUOTA_EVENTS,
    from: "fact: `${key}.id || ':' || ${key}.usage_day || ':' || ${key}.daily_limit`,",
    to: 'fact: `gen_random_uuid()`,',
    tests: ['test/db/keys/quotaEvents.test.ts'],
  },
  {
    name: 'an expired token plays',
    file: RULES,
    from: 'row.now_epoch >= claims.expiresAt',
    to: 'row.now_epoch > claims.expiresAt + 60',
    tests: MANIFEST_TESTS,
  },
  {
    name: 'a suspended account’s video plays',
    file: RULES,
    from: "row?.suspended ? new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.') : null;",
    to: 'row === undefined ? invalidToken() : null;',
    tests: MANIFEST_TESTS,
  },
  {
    name: 'a site that is not listed plays',
    file: SITES,
    from: 'if (host === null) return false;',
    to: 'if (host === null) return true;',
    tests: ['test/unit/playback/sites.test.ts', ...MANIFEST_TESTS],
  },
  {
    name: 'a wildcard lets the bare domain play',
    file: SITES,
    from: 'host.endsWith(domain.slice(1))',
    to: 'host.endsWith(domain.slice(2))',
    tests: ['test/unit/playback/sites.test.ts'],
  },
  {
    name: 'a token of a revoked key plays',
    file: RULES,
    from: '(row?.key_revoked ? invalidToken() : null)',
    to: '(row === undefined ? invalidToken() : null)',
    tests: [
      'test/service/contract/manifest.test.ts',
      'test/faults/proofs/keyRotation.test.ts',
      'test/service/contract/refusals.test.ts',
    ],
  },
  {
    name: 'a token of another account’s key plays',
    file: VIDEO,
    from: 'from api_key k where k.account_id = w.account_id and k.id = w.key_id',
    to: 'from api_key k where k.id = w.key_id',
    tests: ['test/service/contract/manifest.test.ts'],
  },
  {
    name: 'a deleted video’s token still finds it',
    file: VIDEO,
    from: 'and id = w.video_id and deleted_at is null offset 0',
    to: 'and id = w.video_id offset 0',
    tests: ['test/service/contract/manifest.test.ts'],
  },
  {
    name: 'another account’s video is exchanged',
    file: VIDEO,
    from: 'select * from video where account_id = w.account_id and id = w.video_id',
    to: 'select * from video where id = w.video_id',
    tests: ['test/service/contract/manifest.test.ts'],
  },
  {
    name: 'a token has many spellings',
    file: TOKEN,
    from: '[\\w-]{85}[AQgw])$/',
    to: '[\\w-]{86})$/',
    tests: ['test/service/contract/manifest.test.ts'],
  },
  {
    name: 'a new signing key signs before others know it',
    file: SIGNING,
    from: 'key.signsFrom <= nowEpochSeconds) ??',
    to: 'key.signsFrom <= nowEpochSeconds + 3600) ??',
    tests: ['test/service/contract/manifest.test.ts'],
  },
  {
    name: 'an old signing key dies before its last token',
    file: SIGNING,
    from: 'verifiesForSeconds: TOKEN_LIFETIME_SECONDS + VERIFY_MARGIN_SECONDS,',
    to: 'verifiesForSeconds: 0,',
    tests: ['test/service/contract/manifest.test.ts'],
  },
  {
    name: 'first signing keys are made without a turn',
    file: SIGNING,
    from: `      await takeProcessLock(sql, 'signingKeys');
`,
    to: '',
    tests: ['test/service/contract/signingKeys.test.ts'],
  },
  {
    name: 'a key of a day ahead mints',
    file: MINT,
    from: `
      and not \${isAhead('service_now()')}`,
    to: '',
    tests: ['test/faults/concurrency/quotaAhead.test.ts'],
  },
  {
    name: 'a clock off around midnight stops a key',
    file: MINT,
    from: "(${now} at time zone 'UTC')::date + 1`",
    to: "(${now} at time zone 'UTC')::date`",
    tests: ['test/faults/concurrency', 'test/service/contract/token.test.ts'],
  },
  {
    name: 'a page inside our own embed page plays anywhere',
    file: SITES,
    from: 'return page.embedder === undefined || hostOf(page.embedder) === ownHost || mayPlayOn(allowed, hostOf(page.embedder));',
    to: "return mayPlayOn([], hostOf(page.embedder ?? ''));",
    tests: ['test/unit/playback/sites.test.ts'],
  },
];
