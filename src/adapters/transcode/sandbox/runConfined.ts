import { open, rm } from 'node:fs/promises';
import type { ChildRequest, ChildResult } from './childProcess.js';
import { runChild } from './childProcess.js';
import { giveTree, letSandboxRead, takeTree, type Owner } from './fileAccess.js';
import { OutputWatch, type OutputCap } from './outputWatch.js';
import type { Limits, Sandbox } from './sandbox.js';
import { confine, pickSandboxUid, SANDBOX_GID } from './sandbox.js';

export interface ConfinedRequest extends Omit<ChildRequest, 'argv' | 'env' | 'cwd' | 'descriptor3'> {
  /** Absolute path. */
  program: string;
  inputPath: string;
  /** Null where the program writes nothing. It is ours again afterwards. */
  outputDir: string | null;
  /** The program's own arguments, with the paths as it sees them. */
  toArguments: (inside: { inputPath: string; outputDir: string }) => string[];
  limits: Limits;
  output: OutputCap;
}

/** Few malloc arenas: a hundred threads would otherwise reserve 64 MB each. */
const ENVIRONMENT = { LC_ALL: 'C', HOME: '/', MALLOC_ARENA_MAX: '8' };

/** Runs a program in the sandbox, on one input and perhaps one output folder. Nothing of it runs on afterwards. */
export async function runConfined(sandbox: Sandbox, request: ConfinedRequest): Promise<ChildResult> {
  const { program, inputPath, outputDir, limits, watch } = request;
  const uid = pickSandboxUid();
  const confined = confine(sandbox, { program, inputPath, outputDir, limits, uid });
  const watched = outputDir === null ? null : new OutputWatch(outputDir, request.output);
  if (confined.dropsUser) {
    await letSandboxRead(inputPath);
    if (outputDir !== null) {
      await giveTree(outputDir, { uid, gid: SANDBOX_GID });
    }
  }
  const input = confined.handsOver ? await open(inputPath, 'r') : null;
  let killedFor: string | null = 'error';
  try {
    const result = await runChild({
      ...request,
      watch: () => watch?.() ?? watched?.tick() ?? null,
      argv: [...confined.argv, ...request.toArguments(confined)],
      env: ENVIRONMENT,
      ...(confined.handsOver && { cwd: outputDir ?? '/' }),
      ...((input || confined.descriptor3) && { descriptor3: input?.fd ?? confined.descriptor3! }),
    });
    ({ killedFor } = result);
    return result;
  } finally {
    await input?.close();
    if (outputDir !== null && killedFor === 'output') {
      // Too many to look at one by one.
      await rm(outputDir, { recursive: true, force: true });
    } else if (outputDir !== null) {
      await takeTree(outputDir, confined.dropsUser ? ourselves() : null);
    }
  }
}

function ourselves(): Owner {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}
