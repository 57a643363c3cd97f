/** The texts that were asked for last, up to so many characters in all. */
export class TextLru {
  private readonly texts = new Map<string, string>();
  private length = 0;

  constructor(private readonly maxLength: number) {}

  get(key: string): string | undefined {
    const text = this.texts.get(key);
    if (text !== undefined) {
      this.texts.delete(key);
      this.texts.set(key, text);
    }
    return text;
  }

  set(key: string, text: string): void {
    if (text.length > this.maxLength) return;
    this.length += text.length - (this.texts.get(key)?.length ?? 0);
    this.texts.delete(key);
    this.texts.set(key, text);
    for (const [oldest, old] of this.texts) {
      if (this.length <= this.maxLength) return;
      this.texts.delete(oldest);
      this.length -= old.length;
    }
  }
}
