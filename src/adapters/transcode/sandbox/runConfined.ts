import { open, rm } from 'node:fs/promises';
import { basename } from 'node:path';

import { annotate, childSpan } from '../../../tracing.js';
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
  /** Null if the program writes nothing. We own it again afterwards. */
  outputDir: string | null;
  /** Returns the program's own arguments, given the paths as it sees them. */
  toArguments: (inside: { inputPath: string; outputDir: string }) => string[];
  limits: Limits;
  output: OutputCap;
}

/** Few malloc arenas: a hundred threads would otherwise reserve 64 MB each. */
const ENVIRONMENT = { LC_ALL: 'C', HOME: '/', MALLOC_ARENA_MAX: '8' };

/** Runs a program in the sandbox, on one input and optionally one output folder. No process of it survives. */
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
    const result = await childSpan(basename(program), {}, async () => {
      const ended = await runChild({
        ...request,
        watch: () => watch?.() ?? watched?.tick() ?? null,
        argv: [...confined.argv, ...request.toArguments(confined)],
        env: ENVIRONMENT,
        ...(confined.handsOver && { cwd: outputDir ?? '/' }),
        ...((input || confined.descriptor3) && { descriptor3: input?.fd ?? confined.descriptor3! }),
      });
      annotate({ 'process.exit.code': ended.exitCode, 'dhara.killed_for': ended.killedFor ?? '' });
      return ended;
    });
    ({ killedFor } = result);
    return result;
  } finally {
    await input?.close();
    if (outputDir !== null && killedFor === 'output') {
      // Too many files to check one by one.
      await rm(outputDir, { recursive: true, force: true });
    } else if (outputDir !== null) {
      await takeTree(outputDir, confined.dropsUser ? ourselves() : null);
    }
  }
}

function ourselves(): Owner {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}
