import type { Mutant } from './mutant.js';

const SERVICE = 'src/domain/processing/processing.service.ts';
const PURCHASE = 'src/domain/processing/purchase.statements.ts';
const ATTEMPT = 'src/domain/processing/attempt.statements.ts';
const ATTEMPTS = 'src/domain/processing/attempt.service.ts';
const PRICES = 'src/domain/processing/prices.ts';
const LADDER = 'src/domain/processing/ladder.ts';
const SETTLEMENT = 'src/domain/processing/settlement.ts';
const ADMISSION = 'src/domain/processing/admission.ts';
const PURCHASES = ['test/domain/processing/purchases.test.ts'];
const ATTEMPT_TESTS = ['test/domain/processing/attempts.test.ts', 'test/domain/processing/stages.test.ts'];
const LADDER_TESTS = ['test/domain/processing/ladder.test.ts'];

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
    name: 'a video of which something plays is made anew',
    file: PURCHASE,
    from: "and playable_rungs = '{}' and duration_ms = $6",
    to: 'and duration_ms = $6',
    tests: [...PURCHASES, ...ATTEMPT_TESTS],
  },
  {
    name: 'a quote for another file is bought',
    file: PURCHASE,
    from: "and playable_rungs = '{}' and duration_ms = $6",
    to: "and playable_rungs = '{}' and $6::bigint is not null",
    tests: PURCHASES,
  },
  {
    name: 'a run that lost its claim still publishes',
    file: ATTEMPT,
    from: "const HELD = `${ATTEMPT} and run = $4 and state = 'running'`;",
    to: "const HELD = `${ATTEMPT} and run >= $4 and state = 'running'`;",
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
    from: 'percent = greatest(percent, $6)',
    to: 'percent = $6',
    tests: [...ATTEMPT_TESTS, 'test/worker/takeOver.test.ts'],
  },
  {
    name: 'a video of which nothing plays becomes ready',
    file: ATTEMPT,
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
    name: 'a video that keeps breaking is tried for ever',
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
    tests: [...ATTEMPT_TESTS, 'test/branding'],
  },
  {
    name: 'a failed attempt is charged though nothing plays',
    file: SETTLEMENT,
    from: 'if (!delivered) return releaseEscrow(sql, { accountId, videoId, attempt });',
    to: 'if (!delivered) return settleEscrow(sql, { accountId, videoId, attempt, amountMicros: 1n });',
    tests: ATTEMPT_TESTS,
  },
  {
    name: 'a key frame each segment takes no room',
    file: ADMISSION,
    from: 'MAX_TIMES_SOURCE * probe.sizeBytes + wholePicturesBytes',
    to: 'MAX_TIMES_SOURCE * probe.sizeBytes',
    tests: ['test/domain/processing/admission.test.ts', 'test/domain/processing/keptRoom.test.ts'],
  },
];
