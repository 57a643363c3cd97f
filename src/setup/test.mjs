/**
 * Runs tests.
 *
 *   test.mjs              what a change should pass within minutes: unit, db, service, journey
 *   test.mjs <words>      the files whose paths contain one of the words, in every project
 *   test.mjs --all        every project
 *   test.mjs --rest       every project that the first form leaves out
 *
 * All other options go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { rootDir } from './paths.mjs';

const USUAL = ['unit', 'db', 'db-alone', 'service', 'journey'];
/** Those that exist with `TEST_FULL=1` alone: the dashboard in each window, and a cluster. */
const FULL = ['browser-*', 'cluster'];
const REST = ['media', 'media-alone', 'browser', 'faults', ...(process.env.TEST_FULL === '1' ? FULL : [])];

const args = process.argv.slice(2);
const given = args.filter((arg) => arg !== '--all' && arg !== '--rest');
const choosesItself = given.some((arg) => !arg.startsWith('-') || arg.startsWith('--project'));
const projects = args.includes('--rest') ? REST : args.includes('--all') || choosesItself ? [] : USUAL;

// Two cores are a fifth to a quarter idle while two of these run: they wait for other programs, and for conditions. The
// option `--maxWorkers` would override the one worker of the project `cluster`.
const TEST_WORKERS = '3';

const vitest = join(rootDir, 'node_modules/vitest/vitest.mjs');
const chosen = projects.flatMap((name) => ['--project', name]);
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--config', 'test/vitest.config.ts', ...chosen, ...given],
  { cwd: rootDir, stdio: 'inherit', env: { TEST_WORKERS, ...process.env } },
);
process.exitCode = status ?? 1;
