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

const PRINT_EVERY_MS = 2000;

/** Prints lines, at most one every two seconds. */
export function printNowAndThen(print: Print): Print {
  let printedAt = performance.now();
  return (line) => {
    if (performance.now() - printedAt < PRINT_EVERY_MS) return;
    printedAt = performance.now();
    print(line);
  };
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
