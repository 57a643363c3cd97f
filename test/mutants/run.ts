/**
 * `npm run mutate [-- <words>]`: breaks one line at a time in a copy of the repository, and runs the tests that must
 * notice it. With words, only the mutants whose name or file contains one of them.
 *
 * Most of the important decisions are made in SQL, which mutation tools see as one opaque string. So the edits are
 * listed explicitly. Exits with 1 if an unlisted mutant survives, or a listed survivor is noticed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { GIVEN_SETUP } from '../support/givenSetup.js';
import setUp from '../support/globalSetup.js';
import { applied, type Mutant } from './mutant.js';
import { MUTANTS } from './index.js';

type Outcome = 'killed' | 'survived' | 'broken';

const ROOT = resolve(import.meta.dirname, '../..');
const LANES = 2;
/** A mutant that makes a test hang counts as noticed. */
const LONGEST_RUN_MS = 600_000;
/** Files from which the tests' databases are made, before any test runs. */
const IN_TEMPLATE = /^src\/(?:db\/|domain\/ledger\/ledger(?:Rules|Accounts)\.ts)/;
/** vitest's output for a file with a failed test; without it, the run broke before any test. */
const A_TEST_FAILED = /^\s*Test Files .*\bfailed\b/m;

const words = process.argv.slice(2);
const chosen = MUTANTS.filter(
  ({ name, file }) => words.length === 0 || words.some((word) => name.includes(word) || file.includes(word)),
);
const unexpected: string[] = [];
let done = 0;

const waiting = [...chosen];
await Promise.all(Array.from({ length: LANES }, lane));
console.log(`${chosen.length} mutants, ${unexpected.length} not as expected`);
for (const line of unexpected) console.log(`  ${line}`);
process.exitCode = unexpected.length > 0 || chosen.length === 0 ? 1 : 0;

async function lane(): Promise<void> {
  const copy = copyOfRepository();
  // Once for all mutants: building the server and starting PostgreSQL take longer than most of their tests.
  const given: Record<string, unknown> = {};
  const stop = await setUp({ config: { root: copy }, provide: (key, value) => void (given[key] = value) });
  try {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      report(mutant, await outcomeOf(mutant, copy, JSON.stringify(given)));
    }
  } finally {
    await stop();
    rmSync(copy, { recursive: true, force: true });
  }
}

function report(mutant: Mutant, outcome: Outcome): void {
  done += 1;
  const expected: Outcome = mutant.survives === undefined ? 'killed' : 'survived';
  const isExpected = outcome === expected;
  console.log(
    `${isExpected ? 'ok    ' : 'FAILED'} ${done}/${chosen.length} ${outcome}: ${mutant.name} (${mutant.file})`,
  );
  if (!isExpected) unexpected.push(`${outcome}: ${mutant.name} (${mutant.file})`);
}

async function outcomeOf(mutant: Mutant, copy: string, given: string): Promise<Outcome> {
  const file = join(copy, mutant.file);
  const source = readFileSync(file, 'utf8');
  try {
    writeFileSync(file, applied(mutant, source));
    return await runTests(copy, mutant.tests, IN_TEMPLATE.test(mutant.file) ? {} : { [GIVEN_SETUP]: given });
  } finally {
    writeFileSync(file, source);
  }
}

/** The files that git knows, in their current state, with the same packages. */
function copyOfRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'dhara-mutants-'));
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const path of list.toString().split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(ROOT, path), join(copy, path));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  // A mutant may leave a name unused. That concerns the linter, not the build of the tests.
  const options = join(copy, 'tsconfig.json');
  writeFileSync(options, readFileSync(options, 'utf8').replaceAll(/("noUnused\w+"): true/g, '$1: false'));
  return copy;
}

function runTests(cwd: string, tests: readonly string[], given: NodeJS.ProcessEnv): Promise<Outcome> {
  const args = ['run', '--config', 'test/mutants/vitest.config.ts', ...tests];
  const vitest = join(cwd, 'node_modules', 'vitest', 'vitest.mjs');
  return new Promise((told) => {
    const env = { ...process.env, ...given };
    const child = spawn(process.execPath, [vitest, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    let isEndless = false;
    const timer = setTimeout(() => {
      isEndless = true;
      child.kill('SIGTERM');
    }, LONGEST_RUN_MS);
    child.once('close', (code) => {
      clearTimeout(timer);
      if (isEndless) return told('killed');
      if (code === 0) return told('survived');
      // Color codes separate the words.
      const plain = stripVTControlCharacters(output);
      if (A_TEST_FAILED.test(plain)) return told('killed');
      console.log(plain.slice(-3_000));
      told('broken');
    });
  });
}
