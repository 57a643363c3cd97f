/** `npm run check`: all static checks of the code and of the dashboard's build. Reports all, then fails. */
import { runTool } from './tools.mjs';

/** Each program must exit with 0. */
const CHECKS = [
  { name: 'types (server)', program: 'tsc', args: ['-p', 'tsconfig.json', '--noEmit'] },
  { name: 'types (tests)', program: 'tsc', args: ['-p', 'test/tsconfig.json'] },
  { name: 'types (dashboard)', program: 'tsc', args: ['-p', 'src/dashboard/tsconfig.json'] },
  { name: 'types (dashboard tools)', program: 'tsc', args: ['-p', 'src/dashboard/tsconfig.tools.json'] },
  { name: 'types (client)', program: 'tsc', args: ['-p', 'src/client/tsconfig.json', '--noEmit'] },
  { name: 'types (client, CommonJS)', program: 'tsc', args: ['-p', 'src/client/tsconfig.cjs.json', '--noEmit'] },
  { name: 'lint', program: 'oxlint', args: ['--type-aware'] },
  { name: 'format', program: 'oxfmt', args: ['--check'] },
  { name: 'layers', program: 'node', args: ['src/setup/layers.mjs'] },
  { name: 'licenses', program: 'node', args: ['src/setup/licenses.mjs'] },
  { name: 'OpenAPI document (Redocly, Spectral)', program: 'tsx', args: ['test/support/contract/lintOpenApi.ts'] },
  { name: 'schema.graphql is current', program: 'tsx', args: ['src/api/graphql/writeSchema.ts', '--check'] },
  { name: 'client types are current', program: 'tsx', args: ['src/api/rest/docs/writeClientTypes.ts', '--check'] },
  { name: 'files of the events are current', program: 'tsx', args: ['src/api/rest/docs/writeEvents.ts', '--check'] },
  { name: 'dashboard types are current', program: 'tsx', args: ['src/dashboard/writeTypes.ts', '--check'] },
  { name: 'first views are within their budgets', program: 'node', args: ['src/setup/firstViews.mjs'] },
];

let failures = 0;
for (const { name, program, args } of CHECKS) {
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
