const MAX_LINE_CHARS = 1_000;

/**
 * Splits a program's output, in pieces of any size, into trimmed lines. Of a line that does not end, keeps only its
 * last characters.
 */
export class Lines {
  private rest = '';

  constructor(
    private readonly take: (line: string) => void,
    private readonly maxChars = MAX_LINE_CHARS,
  ) {}

  add(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = (lines.pop() ?? '').slice(-this.maxChars);
    for (const line of lines) this.take(line.trim());
  }

  /** The last line may lack its newline. */
  end(): void {
    if (this.rest !== '') this.take(this.rest.trim());
    this.rest = '';
  }
}
