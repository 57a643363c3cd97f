import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

import type { Terminal } from '../terminal.js';
import { UsageError } from './errors.js';

/** Asks a person at the terminal; reads lines from a pipe if there is no terminal. */
export class Prompt {
  private isHidden = false;
  private readonly lines: AsyncIterator<string>;
  private readonly reader: ReturnType<typeof createInterface>;

  constructor(private readonly terminal: Pick<Terminal, 'input' | 'errors'>) {
    const echo = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.isHidden) terminal.errors.write(chunk);
        done();
      },
    });
    const { input } = terminal;
    this.reader = createInterface({ input, output: echo, terminal: input.isTTY === true, historySize: 0 });
    this.lines = this.reader[Symbol.asyncIterator]();
  }

  async ask(question: string): Promise<string> {
    this.terminal.errors.write(question);
    const { value, done } = await this.lines.next();
    if (done === true) throw new UsageError('No answer: the input has ended.');
    return value.trim();
  }

  /** Does not show what is typed. */
  async askHidden(question: string): Promise<string> {
    this.terminal.errors.write(question);
    this.isHidden = true;
    const { value, done } = await this.lines.next();
    this.isHidden = false;
    if (this.terminal.input.isTTY) this.terminal.errors.write('\n');
    if (done === true) throw new UsageError('No answer: the input has ended.');
    return value;
  }

  close(): void {
    this.reader.close();
  }
}
