/**
 * `npm run lighthouse`: runs Lighthouse on the dashboard, signed in to the demo account of a service that it starts.
 * Prints a table of medians; exits with 1 if a target is missed. `npm run lighthouse -- home wallet` checks only some
 * pages.
 *
 * Performance depends on how fast and busy the machine is: Lighthouse measures how long scripts take, and multiplies
 * that by four for a phone. "Machine" is Lighthouse's own measure of its speed. Four suits a fast desktop, at 1500 or
 * more; a slower machine stands for a slower phone.
 *
 * LIGHTHOUSE_RUNS=3       runs of each page with each preset
 * LIGHTHOUSE_PRESETS=mobile,desktop
 * LIGHTHOUSE_REPORTS=dir  keeps the report of each run there, as JSON
 */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argv, env } from 'node:process';
import { promisify } from 'node:util';

import { findFreePort } from '../support/freePort.js';
import { chromiumPath } from '../support/browser/browser.js';
import { makeDataDir } from '../support/dataDir.js';
import { ServiceProcess, signIn, type Demo } from '../support/service.js';

const LIGHTHOUSE = join(import.meta.dirname, '../../node_modules/lighthouse/cli/index.js');
const RUNS = Number(env['LIGHTHOUSE_RUNS'] ?? 3);
const MOST_REPORT_BYTES = 64 * 1024 * 1024;
/** Runs of one page that Lighthouse may fail to record, before the whole command fails. */
const MOST_LOST = 2;
/** The dashboard's live streams stay open, so Lighthouse would wait for an idle network for as long as it can. */
const MAX_WAIT_MS = 15_000;

/** Lighthouse's own presets: a mid-range phone on slow 4G, and a desktop on cable. With the targets for each page. */
const PRESETS = {
  mobile: { args: [], performance: 0.9, accessibility: 1 },
  desktop: { args: ['--preset=desktop'], performance: 0.97, accessibility: 1 },
} as const;
type Preset = keyof typeof PRESETS;

const PAGES: Readonly<Record<string, (demo: Demo) => string>> = {
  home: () => '/',
  videos: () => '/videos',
  video: ({ videoId }) => `/videos/${videoId}`,
  wallet: () => '/wallet',
};

/** The parts of a report that are read. */
interface Report {
  readonly categories: Readonly<Record<'performance' | 'accessibility' | 'best-practices', { score: number | null }>>;
  readonly audits: Readonly<Record<string, { numericValue?: number }>>;
  readonly environment: { readonly benchmarkIndex: number };
  readonly finalDisplayedUrl: string;
}

const COLUMNS: Readonly<Record<string, (report: Report) => number>> = {
  performance: ({ categories }) => categories.performance.score ?? 0,
  accessibility: ({ categories }) => categories.accessibility.score ?? 0,
  'best practices': ({ categories }) => categories['best-practices'].score ?? 0,
  'FCP, s': secondsOf('first-contentful-paint'),
  'LCP, s': secondsOf('largest-contentful-paint'),
  'speed index, s': secondsOf('speed-index'),
  'blocked, ms': ({ audits }) => audits['total-blocking-time']?.numericValue ?? NaN,
  'layout shift': ({ audits }) => audits['cumulative-layout-shift']?.numericValue ?? NaN,
  machine: ({ environment }) => environment.benchmarkIndex,
};

const run = promisify(execFile);
const wanted = argv.slice(2);
const unknown = wanted.filter((name) => !(name in PAGES));
if (unknown.length > 0) {
  throw new Error(`There is no page ${unknown.join(', ')}. There are: ${Object.keys(PAGES).join(', ')}.`);
}
const presets = (env['LIGHTHOUSE_PRESETS'] ?? 'mobile,desktop').split(',') as Preset[];

const data = await makeDataDir('dhara-lighthouse-');
const service = ServiceProcess.start(['all'], { DATA_DIR: data.path, PORT: String(await findFreePort()) });
try {
  const demo = await service.demo();
  const cookie = await signIn(demo);
  console.log(`| page | preset | ${Object.keys(COLUMNS).join(' | ')} |`);
  console.log(`|---|---|${'---|'.repeat(Object.keys(COLUMNS).length)}`);
  for (const [page, pathOf] of Object.entries(PAGES)) {
    if (wanted.length > 0 && !wanted.includes(page)) continue;
    for (const preset of presets) {
      const reports: Report[] = [];
      for (let nth = 1; nth <= RUNS; nth += 1) {
        const url = `${demo.url}${pathOf(demo)}`;
        reports.push(await lighthouse(url, preset, cookie, `${page}-${preset}-${nth}`));
      }
      printRow(page, preset, reports);
    }
  }
} finally {
  await service.stop();
  await data.remove();
}

async function lighthouse(url: string, preset: Preset, cookie: string, name: string): Promise<Report> {
  const args = [
    LIGHTHOUSE,
    url,
    ...PRESETS[preset].args,
    '--quiet',
    `--max-wait-for-load=${MAX_WAIT_MS}`,
    '--output=json',
    '--only-categories=performance,accessibility,best-practices',
    `--extra-headers=${JSON.stringify({ Cookie: cookie })}`,
    '--chrome-flags=--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run',
    // Otherwise it asks its makers' server whether it may report errors.
    '--no-enable-error-reporting',
  ];
  const stdout = await recorded(args, name);
  const folder = env['LIGHTHOUSE_REPORTS'];
  if (folder) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${name}.json`), stdout);
  }
  const report = JSON.parse(stdout) as Report;
  if (report.finalDisplayedUrl !== url) throw new Error(`${url} led to ${report.finalDisplayedUrl}.`);
  return report;
}

/** Chromium sometimes loses the beginning of its trace. Lighthouse has then measured nothing, and says so. */
async function recorded(args: readonly string[], name: string): Promise<string> {
  for (let left = MOST_LOST; ; left -= 1) {
    try {
      const settings = { env: { ...env, CHROME_PATH: chromiumPath() }, maxBuffer: MOST_REPORT_BYTES };
      return (await run(process.execPath, args, settings)).stdout;
    } catch (error) {
      const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
      if (left === 0 || !said.includes('(NO_NAVSTART)')) throw error;
      console.error(`${name} is repeated, because Lighthouse could not record it.`);
    }
  }
}

function printRow(page: string, preset: Preset, reports: readonly Report[]): void {
  const figures = Object.values(COLUMNS).map((read) => medianOf(reports.map(read)));
  console.log(`| ${page} | ${preset} | ${figures.map(show).join(' | ')} |`);
  const [performance = 0, accessibility = 0] = figures;
  const least = PRESETS[preset];
  if (performance >= least.performance && accessibility >= least.accessibility) return;
  process.exitCode = 1;
  console.log(`MISSED: the targets are performance ${least.performance} and accessibility ${least.accessibility}`);
}

function secondsOf(audit: string): (report: Report) => number {
  return ({ audits }) => (audits[audit]?.numericValue ?? NaN) / 1000;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function show(value: number): string {
  return value >= 10 ? value.toFixed(0) : value.toFixed(2);
}
