import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

import { expect } from 'vitest';

import { endOf, hasPrograms } from './programs.js';
import type { Ended } from './terminal.js';

/** script(1) of util-linux makes them. Programs of that name elsewhere have other options. */
export const HAS_PSEUDO_TERMINALS = process.platform === 'linux' && hasPrograms(['script', 'stty'], 'bsdutils');

/** A shell command in its own terminal, which shows what is typed like any other until the command says otherwise. */
export class PseudoTerminal {
  private shown = '';
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly end: Promise<Ended>;

  constructor(command: string, env: Readonly<Record<string, string>>) {
    const args = ['--quiet', '--return', '--flush', '--echo', 'always', '--command', command, '/dev/null'];
    this.child = spawn('script', args, { env: { PATH: process.env['PATH'], TERM: 'xterm', SHELL: '/bin/sh', ...env } });
    this.child.stdout.on('data', (chunk: Buffer) => (this.shown += chunk.toString()));
    this.end = endOf(this.child);
  }

  type(keys: string): void {
    this.child.stdin.write(keys);
  }

  /** Until the terminal shows this text. */
  async shows(text: string): Promise<void> {
    await expect.poll(() => this.shown).toContain(text);
  }

  /** The exit code, and all that was shown. */
  async ended(): Promise<Ended> {
    const ended = await this.end;
    this.child.stdin.destroy();
    return ended;
  }
}
