#!/usr/bin/env node
import { compactHeap, requireNode, stopWithNpm } from './cli/ownProcess.js';

requireNode();
compactHeap();
// Not a static import, because all static imports load before the first line runs.
const { runProgram } = await import('./cli/program.js');

stopWithNpm(process.env['npm_lifecycle_event']);
const { env, stdin, stdout, stderr } = process;
process.exitCode = await runProgram(process.argv.slice(2), { env, input: stdin, output: stdout, errors: stderr });
// Anything still open, such as a socket of a library, must not keep a finished command alive.
process.exit();
