/** `npm run check`: everything about the code that can be told without running it. Reports all, then fails. */
import { runTool } from './tools.mjs';

/** Each is a name and the program that must end with 0. */
const CHECKS = [
  ['types (server)', 'tsc', ['-p', 'tsconfig.json', '--noEmit']],
  ['types (tests)', 'tsc', ['-p', 'test/tsconfig.json']],
  ['types (dashboard)', 'tsc', ['-p', 'src/dashboard/tsconfig.json']],
  ['types (dashboard tools)', 'tsc', ['-p', 'src/dashboard/tsconfig.tools.json']],
  ['lint', 'oxlint', ['--type-aware']],
  ['format', 'oxfmt', ['--check']],
  ['layers', 'node', ['src/setup/layers.mjs']],
  ['schema.graphql is current', 'tsx', ['src/graphql/writeSchema.ts', '--check']],
  ['dashboard types are current', 'tsx', ['src/dashboard/writeTypes.ts', '--check']],
];

let failures = 0;
for (const [name, program, args] of CHECKS) {
  const startedAtMs = performance.now();
  const { exitCode, output } = await runTool(program, args);
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  console.log(`${exitCode === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (exitCode !== 0) {
    failures += 1;
    console.log(output.trimEnd());
  }
}
if (failures > 0) {
  console.log(`${failures} of ${CHECKS.length} checks failed`);
  process.exitCode = 1;
}
