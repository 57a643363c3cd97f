/**
 * `npm run bench`: each part prints its lines; exits with 1 if a target is missed. `npm run bench -- delivery quality`
 * runs parts, `npm run bench -- list hotSmall` scenarios of them.
 */
import { argv, env } from 'node:process';

/** In the order in which they run, with the scenarios that can run alone. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  secondStart: [],
  hotPaths: ['list', 'newLists', 'tokens', 'hot', 'manifest', 'deep'],
  delivery: ['hotLarge', 'hotSmall', 'ranges', 'coldLarge', 'coldSmall', 'accel', 'media', 'master'],
  viewers: [],
  pipeline: ['short', 'early', 'passed'],
  ladder: ['grain', 'screenText', 'calm'],
  quality: [],
  remux: [],
  chunks: [],
  smallVideos: [],
  player: [],
  scrolling: [],
  storageNight: [],
  postings: [],
  ledgerProof: [],
  webhooks: [],
  webhooksOut: [],
  views: [],
  flood: [],
  operationCost: [],
  units: [],
  workerMemory: [],
};

const wanted = argv.slice(2);
const unknown = wanted.filter((name) => !(name in PARTS) && !Object.values(PARTS).flat().includes(name));
if (unknown.length > 0) {
  const names = Object.entries(PARTS).map(([part, scenarios]) => [part, ...scenarios].join(' '));
  throw new Error(`There is no ${unknown.join(', ')}. There are:\n${names.join('\n')}`);
}
for (const [part, scenarios] of Object.entries(PARTS)) {
  const some = scenarios.filter((name) => wanted.includes(name));
  if (wanted.length > 0 && !wanted.includes(part) && some.length === 0) continue;
  if (some.length > 0) env['BENCH_ONLY'] = some.join(',');
  else delete env['BENCH_ONLY'];
  await import(`./${part}.js`);
}
