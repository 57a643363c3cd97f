import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

import type { Terminal } from '../terminal.js';
import { InterruptedError } from './errors.js';
import { UsageError } from '../usageError.js';

/** Asks a person at the terminal; reads lines from a pipe if there is no terminal. */
export class Prompt {
  /** Only while a question waits whose answer may be seen: what is typed or pasted ahead may be a password. */
  private isShown = false;
  private isOpen = true;
  private isInterrupted = false;
  private readonly isTerminal: boolean;
  private readonly lines: AsyncIterator<string>;
  private readonly reader: ReturnType<typeof createInterface>;
  private readonly interrupted = Promise.withResolvers<never>();

  constructor(private readonly terminal: Pick<Terminal, 'input' | 'errors'>) {
    const { input } = terminal;
    this.isTerminal = input.isTTY === true;
    const echo = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (this.isShown) terminal.errors.write(chunk);
        done();
      },
    });
    this.reader = createInterface({ input, output: echo, terminal: this.isTerminal, historySize: 0 });
    this.lines = this.reader[Symbol.asyncIterator]();
    this.reader.on('line', () => (this.isShown = false));
    this.reader.on('close', () => (this.isOpen = false));
    // The terminal sends Ctrl-C as a key while a line is edited here.
    this.reader.on('SIGINT', () => {
      this.isInterrupted = true;
      this.endLine();
      this.interrupted.reject(new InterruptedError());
      this.reader.close();
    });
    // Nobody may be waiting for it.
    this.interrupted.promise.catch(() => undefined);
  }

  async ask(question: string): Promise<string> {
    if (this.isTerminal && this.isOpen) {
      this.isShown = true;
      // Writes it again whenever the line is edited, with what was typed before.
      this.reader.setPrompt(question);
      this.reader.prompt(true);
    } else {
      this.terminal.errors.write(question);
    }
    return (await this.nextLine()).trim();
  }

  /** Does not show what is typed. */
  async askHidden(question: string): Promise<string> {
    this.terminal.errors.write(question);
    const line = await this.nextLine();
    this.endLine();
    return line;
  }

  /** @throws InterruptedError when Ctrl-C is pressed before the work with its questions has ended */
  unlessInterrupted<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.interrupted.promise]);
  }

  /** Gives the terminal back as it was. */
  close(): void {
    this.reader.close();
  }

  private async nextLine(): Promise<string> {
    const { value, done } = await this.lines.next();
    if (done !== true) return value;
    if (!this.isInterrupted) this.endLine();
    throw new UsageError('No answer: the input has ended.');
  }

  /** A terminal shows nothing of what was typed, the end of the line included. */
  private endLine(): void {
    if (this.isTerminal) this.terminal.errors.write('\n');
  }
}
