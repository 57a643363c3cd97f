import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

import { UsageError } from './errors.js';

/** Asks a person at the terminal; reads lines from a pipe if there is no terminal. */
export class Prompt {
  private isHidden = false;
  private readonly lines: AsyncIterator<string>;
  private readonly terminal: ReturnType<typeof createInterface>;

  constructor(
    private readonly input: NodeJS.ReadStream,
    private readonly output: NodeJS.WriteStream,
  ) {
    const echo = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.isHidden) this.output.write(chunk);
        done();
      },
    });
    this.terminal = createInterface({ input, output: echo, terminal: input.isTTY, historySize: 0 });
    this.lines = this.terminal[Symbol.asyncIterator]();
  }

  async ask(question: string): Promise<string> {
    this.output.write(question);
    const { value, done } = await this.lines.next();
    if (done === true) throw new UsageError('No answer: the input has ended.');
    return value.trim();
  }

  /** Does not show what is typed. */
  async askHidden(question: string): Promise<string> {
    this.output.write(question);
    this.isHidden = true;
    const { value, done } = await this.lines.next();
    this.isHidden = false;
    if (this.input.isTTY) this.output.write('\n');
    if (done === true) throw new UsageError('No answer: the input has ended.');
    return value;
  }

  close(): void {
    this.terminal.close();
  }
}
