/** What a command reads and writes besides files and the network. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined };
  /** For results. */
  readonly output: NodeJS.WritableStream;
  /** For errors and questions. */
  readonly errors: NodeJS.WritableStream;
}

/** Prints one line of a result. */
export type Print = (line: string) => void;

export function printer({ output }: Pick<Terminal, 'output'>): Print {
  return (line) => void output.write(`${line}\n`);
}
