const MAX_LINE_CHARS = 1_000;

/**
 * What a program prints, in any chunks, as lines without the space around them. A line that does not end is none of ours:
 * no more than its last characters are kept.
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

  /** The last line may lack its end. */
  end(): void {
    if (this.rest !== '') this.take(this.rest.trim());
    this.rest = '';
  }
}
