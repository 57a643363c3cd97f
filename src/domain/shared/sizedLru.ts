interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
}

/** A least-recently-used cache with a limit on the total size. */
export class SizedLru<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
  private newest: Entry<Value> | undefined;
  private total = 0;

  constructor(private readonly maxSize: number) {}

  get(name: string): Value | undefined {
    const entry = this.entries.get(name);
    if (entry === undefined) return undefined;
    // Moving an entry costs more than finding it, and busy entries are often requested several times in a row.
    if (entry !== this.newest) {
      this.entries.delete(name);
      this.entries.set(name, entry);
      this.newest = entry;
    }
    return entry.value;
  }

  /** Skips values larger than the whole cache. @param size in the unit of `maxSize` */
  set(name: string, value: Value, size: number): void {
    this.delete(name);
    if (size > this.maxSize) return;
    this.newest = { value, size };
    this.entries.set(name, this.newest);
    this.total += size;
    for (const oldest of this.entries.keys()) {
      if (this.total <= this.maxSize) return;
      this.delete(oldest);
    }
  }

  delete(name: string): void {
    this.total -= this.entries.get(name)?.size ?? 0;
    this.entries.delete(name);
  }
}
