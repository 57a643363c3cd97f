import { Readable, Writable } from 'node:stream';

import { runProgram } from '../../src/cli/program.js';
import type { Terminal } from '../../src/cli/terminal.js';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Keeps what a command prints. `input` is what its user types. */
export class KeptTerminal implements Terminal {
  out = '';
  err = '';
  readonly input: Readable;
  readonly output = kept((text) => (this.out += text));
  readonly errors = kept((text) => (this.err += text));

  constructor(
    readonly env: Readonly<Record<string, string | undefined>>,
    input = '',
  ) {
    this.input = Readable.from(input === '' ? [] : [input]);
  }
}

/** Runs `dhara <args>` in this process, with these settings and PATH. */
export async function dhara(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  input = '',
): Promise<Ended> {
  const terminal = new KeptTerminal({ PATH: process.env['PATH'], LOG_LEVEL: 'silent', ...settings }, input);
  const code = await runProgram(args, terminal);
  return { code, out: terminal.out, err: terminal.err };
}

function kept(keep: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      keep(chunk.toString());
      done();
    },
  });
}
