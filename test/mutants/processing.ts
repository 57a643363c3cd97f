import type { Mutant } from './mutant.js';

const QUOTES = 'src/domain/media/pipeline/quote.service.ts';
const CHUNK = 'src/domain/media/pipeline/chunk.sql.ts';
const LEFTOVERS = 'src/domain/media/pipeline/leftovers.sql.ts';
const SERVICE = 'src/domain/media/pipeline/processing.service.ts';
const PURCHASE = 'src/domain/media/pipeline/purchase.sql.ts';
const BIN = 'src/domain/media/library/bin.sql.ts';
const STATE = 'src/domain/media/library/videoState.sql.ts';
const ATTEMPT = 'src/domain/media/pipeline/attempt.sql.ts';
const ATTEMPTS = 'src/domain/media/pipeline/attempt.service.ts';
const PRICES = 'src/domain/ledger/prices.ts';
const LADDER = 'src/domain/media/pipeline/ladder.ts';
const SETTLEMENT = 'src/domain/media/pipeline/settlement.ts';
const ADMISSION = 'src/domain/media/pipeline/admission.ts';
const PURCHASES = ['test/db/processing/purchases.test.ts'];
const ATTEMPT_TESTS = ['test/db/processing/attempts.test.ts', 'test/db/processing/stages.test.ts'];
const BIN_TESTS = ['test/db/videos/bin.test.ts'];
const CANCELLATION = ['test/db/processing/cancellation.test.ts'];
const LADDER_TESTS = ['test/unit/processing/ladder.test.ts'];

export const processingMutants: readonly Mutant[] = [
  {
    name: 'debt does not block a job',
    file: SERVICE,
    from: '      await refuseDebt(sql, accountId);\n',
    to: '',
    tests: PURCHASES,
  },
  {
    name: 'an expired quote is bought',
    file: SERVICE,
    from: "if (quote.expired) throw new AppError('QUOTE_EXPIRED'",
    to: "if (quote.expired && quoteId === '') throw new AppError('QUOTE_EXPIRED'",
    tests: PURCHASES,
  },
  {
    name: 'a suspended account buys',
    file: SERVICE,
    from: "if (quote.suspended) throw new AppError('ACCOUNT_SUSPENDED'",
    to: "if (quote.suspended && quoteId === '') throw new AppError('ACCOUNT_SUSPENDED'",
    tests: PURCHASES,
  },
  {
    name: 'a quote sent twice buys twice',
    file: SERVICE,
    from: 'if (made) return { videoId, attempt: made.attempt };',
    to: 'void made;',
    tests: PURCHASES,
  },
  {
    name: 'a video that plays partly is processed from the start',
    file: STATE,
    from: "and playable_rungs = '{}' and duration_ms = :durationMs",
    to: 'and duration_ms = :durationMs',
    tests: [...PURCHASES, ...ATTEMPT_TESTS],
  },
  {
    name: 'a quote for another file is bought',
    file: STATE,
    from: "and playable_rungs = '{}' and duration_ms = :durationMs",
    to: "and playable_rungs = '{}' and :durationMs::bigint is not null",
    tests: PURCHASES,
  },
  {
    name: 'a run that lost its claim still publishes',
    file: ATTEMPT,
    from: "const HELD = `${ATTEMPT} and run = :run and state = 'running'`;",
    to: "const HELD = `${ATTEMPT} and run >= :run and state = 'running'`;",
    tests: ATTEMPT_TESTS,
  },
  {
    name: 'a lost run is not counted',
    file: ATTEMPT,
    from: "faults = faults + (state = 'running')::integer, state = 'running',",
    to: "faults = faults, state = 'running',",
    tests: ATTEMPT_TESTS,
  },
  {
    name: 'progress goes backwards',
    file: ATTEMPT,
    from: 'percent = greatest(percent, :percent)',
    to: 'percent = :percent',
    tests: [...ATTEMPT_TESTS, 'test/media/worker/takeOver.test.ts'],
  },
  {
    name: 'a video of which nothing plays becomes ready',
    file: STATE,
    from: "where ${VIDEO} and status in ('queued', 'processing') and cardinality(playable_rungs) > 0",
    to: "where ${VIDEO} and status in ('queued', 'processing')",
    tests: ATTEMPT_TESTS,
  },
  {
    name: 'a lost fence is not noticed at the end',
    file: ATTEMPTS,
    from: 'if (!succeeded || !ready) throw fenced(claim);',
    to: 'void [succeeded, ready];',
    tests: ATTEMPT_TESTS,
  },
  {
    name: 'a video that keeps breaking is tried forever',
    file: ATTEMPTS,
    from: 'if (held.faults > MAX_FAULTS) {',
    to: 'if (held.faults > MAX_FAULTS + 100) {',
    tests: ATTEMPT_TESTS,
  },
  {
    name: 'prices round up to whole minutes',
    file: PRICES,
    from: 'const totalMicros = (durationMs * rates.reduce((sum, rate) => sum + rate.rateMicros, 0n)) / MS_PER_MINUTE;',
    to: 'const totalMicros = ((durationMs + MS_PER_MINUTE - 1n) / MS_PER_MINUTE) * rates.reduce((sum, rate) => sum + rate.rateMicros, 0n);',
    tests: [...PURCHASES, ...LADDER_TESTS],
  },
  {
    name: 'add-ons are free',
    file: PRICES,
    from: '...addons.map((addon) => ({ item: addon, rateMicros: PRICES.addonPerMinuteMicros[addon] })),',
    to: '...addons.map((addon) => ({ item: addon, rateMicros: 0n * PRICES.addonPerMinuteMicros[addon] })),',
    tests: PURCHASES,
  },
  {
    name: 'a quote’s lines do not add up to its total',
    file: PRICES,
    from: '(index === 0 ? carried : 0n)',
    to: '(index === 0 ? 0n * carried : 0n)',
    tests: PURCHASES,
  },
  {
    name: 'a source counts as less than it is',
    file: LADDER,
    from: 'long * 9 >= SHORT_SIDE[quality] * 16 || short >= SHORT_SIDE[quality]',
    to: 'long * 9 > SHORT_SIDE[quality] * 16 || short > SHORT_SIDE[quality]',
    tests: LADDER_TESTS,
  },
  {
    name: 'more is bought than the source holds',
    file: LADDER,
    from: 'return QUALITIES.indexOf(bought) <= QUALITIES.indexOf(source) ? bought : source;',
    to: 'return QUALITIES.indexOf(bought) >= 0 ? bought : source;',
    tests: LADDER_TESTS,
  },
  {
    name: 'a small picture is enlarged',
    file: LADDER,
    from: 'const scale = Math.min(1, (boxShort * 16) / 9 / long, boxShort / short);',
    to: 'const scale = Math.min((boxShort * 16) / 9 / long, boxShort / short);',
    tests: LADDER_TESTS,
    survives: 'evenSide takes the source’s own size as the largest, too.',
  },
  {
    name: 'a ladder that came out lower costs what was quoted',
    file: SETTLEMENT,
    from: 'return totalMicros < priceMicros ? totalMicros : priceMicros;',
    to: 'return totalMicros < priceMicros ? priceMicros : priceMicros;',
    tests: ATTEMPT_TESTS,
  },
  {
    name: 'sound alone is charged for a logo',
    file: SETTLEMENT,
    from: "...(row.branding && best !== 'audio' ? (['branding'] as const) : []),",
    to: "...(row.branding ? (['branding'] as const) : []),",
    tests: ['test/db/branding/purchases.test.ts'],
  },
  {
    name: 'a failed attempt is charged though nothing plays',
    file: SETTLEMENT,
    from: 'if (!delivered || delivered.charged === null) return releaseEscrow(sql, { accountId, videoId, attempt });',
    to: 'if (!delivered || delivered.charged === null) return settleEscrow(sql, { accountId, videoId, attempt, amountMicros: 1n });',
    tests: ATTEMPT_TESTS,
  },
  {
    name: 'a keyframe each segment takes no space',
    file: ADMISSION,
    from: 'MAX_TIMES_SOURCE * probe.sizeBytes + wholePicturesBytes',
    to: 'MAX_TIMES_SOURCE * probe.sizeBytes',
    tests: ['test/db/processing/admission.test.ts', 'test/db/processing/reservedSpace.test.ts'],
  },
  {
    name: 'a queued video is bought again',
    file: STATE,
    from: `status in ('uploaded', 'failed')
`,
    to: `status in ('uploaded', 'failed', 'queued')
`,
    tests: PURCHASES,
  },
  {
    name: 'another account’s quote is bought',
    file: PURCHASE,
    from: 'from quote q where q.account_id = :accountId and q.id = :quoteId',
    to: 'from quote q where q.id = :quoteId',
    tests: PURCHASES,
  },
  {
    name: 'one quote sent at once is not answered in turn',
    file: PURCHASE,
    from: 'q.id = :quoteId for update`',
    to: 'q.id = :quoteId`',
    tests: PURCHASES,
  },
  {
    name: 'a failed video’s new quote is the one it was bought with',
    file: QUOTES,
    from: '[videoId, video.attempt, quality,',
    to: '[videoId, quality,',
    tests: ATTEMPT_TESTS,
  },
  {
    name: 'a quote that was bought is thrown away',
    file: QUOTES,
    from: `
        and not exists (select from processing p where p.account_id = :accountId and p.quote_id = q.id)`,
    to: '',
    tests: [...PURCHASES, ...ATTEMPT_TESTS],
  },
  {
    name: 'a quote that runs out is kept forever',
    file: QUOTES,
    from: 'and q.expires_at < service_now()',
    to: "and q.expires_at < 'epoch'",
    tests: [...PURCHASES, ...ATTEMPT_TESTS],
  },
  {
    name: 'what was chosen beforehand is bought a second time',
    file: SERVICE,
    from: ' || video.attempt > 0) return null;',
    to: ') return null;',
    tests: ['test/db/processing/admission.test.ts', 'test/journey/encode.test.ts'],
    survives: 'A video that was bought is never `uploaded` again, which is asked for as well.',
  },
  {
    name: 'the escrow of a queued attempt is given back',
    file: LEFTOVERS,
    from: "and p.attempt = e.attempt and p.state in ('queued', 'running'))",
    to: "and p.attempt = e.attempt and p.state = 'running')",
    tests: ATTEMPT_TESTS,
  },
  {
    name: 'a chunk’s older claim finishes it',
    file: CHUNK,
    from: 'and chunk = :chunk and fence = :fence and',
    to: 'and chunk = :chunk and fence >= :fence and',
    tests: ['test/db/processing/chunks.test.ts', 'test/db/processing/chunkStages.test.ts'],
  },
  {
    name: 'two workers claim one chunk',
    file: CHUNK,
    from: 'order by chunk limit 1 for update of processing_chunk skip locked)',
    to: 'order by chunk limit 1)',
    tests: ['test/db/processing/chunks.test.ts', 'test/db/processing/chunkStages.test.ts'],
  },
  {
    name: 'nothing stays free on a disk',
    file: ADMISSION,
    from: 'freeBytes < neededBytes + this.marginBytes',
    to: 'freeBytes < neededBytes',
    tests: ['test/db/processing/admission.test.ts', 'test/db/processing/reservedSpace.test.ts'],
  },
  {
    name: 'what runs beside reserves no space',
    file: ADMISSION,
    from: 'const freeBytes = free[index]! - bytesIn(volume, beside);',
    to: 'const freeBytes = free[index]! - 0 * bytesIn(volume, beside);',
    tests: ['test/db/processing/reservedSpace.test.ts', 'test/db/processing/admission.test.ts'],
  },
  {
    name: 'a deleted video’s attempt is charged',
    file: ATTEMPT,
    from: `and v.attempt = :attempt and \${keepsFiles('v')}
      and cardinality`,
    to: `and v.attempt = :attempt
      and cardinality`,
    tests: ATTEMPT_TESTS,
  },
  {
    name: 'a cancellation keeps the credits',
    file: SERVICE,
    from: `await cancelAttempts(sql, this.deps.queue, key);
      return 'cancelled';`,
    to: `return 'cancelled';`,
    tests: CANCELLATION,
  },
  {
    name: 'a quote whose purchase was cancelled seems to buy',
    file: SERVICE,
    from: 'if (made?.is_cancelled) {',
    to: "if (made?.is_cancelled && quoteId === '') {",
    tests: CANCELLATION,
  },
  {
    name: 'processing that has begun is said to be over',
    file: SERVICE,
    from: "if (video.status === 'processing') return 'begun';",
    to: '',
    tests: CANCELLATION,
  },
  {
    name: 'a retry that is cancelled leaves a video that never failed',
    file: STATE,
    from: "case when p.attempt is null then 'uploaded' else 'failed' end",
    to: "'uploaded'",
    tests: CANCELLATION,
  },
  {
    name: 'a video restored from the bin plays what was returned',
    file: BIN,
    from: "set ${AS_BEFORE_PURCHASE}, playable_rungs = '{}', pictures_prefix",
    to: 'set ${AS_BEFORE_PURCHASE}, pictures_prefix',
    tests: BIN_TESTS,
  },
  {
    name: 'a video whose week in the bin is over is restored',
    file: BIN,
    from: "const IN_BIN = 'account_id = :accountId and purge_after > service_now()';",
    to: "const IN_BIN = 'account_id = :accountId and purge_after is not null';",
    tests: BIN_TESTS,
  },
  {
    name: 'a restored video is deleted for good',
    file: BIN,
    from: `where account_id = :accountId and id = :videoId and purge_after is not null
      and (not`,
    to: `where account_id = :accountId and id = :videoId
      and (not`,
    tests: BIN_TESTS,
  },
];
