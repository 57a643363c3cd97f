interface Entry<Value> {
  readonly name: string;
  readonly value: Value;
  readonly size: number;
  older: Entry<Value> | undefined;
  newer: Entry<Value> | undefined;
}

/**
 * A least-recently-used cache with a limit on the total size.
 *
 * The entries are also a list, from the oldest to the newest. The order of a Map would do, but to find its oldest key, V8
 * passes all the places of keys that were removed: 4 µs with 8,000 entries, and up to 20 with 20,000.
 */
export class SizedLru<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
  private oldest: Entry<Value> | undefined;
  private newest: Entry<Value> | undefined;
  private total = 0;

  constructor(private readonly maxSize: number) {}

  get(name: string): Value | undefined {
    const entry = this.entries.get(name);
    if (entry === undefined) return undefined;
    if (entry !== this.newest) {
      this.unlink(entry);
      this.append(entry);
    }
    return entry.value;
  }

  /** Tells whether it is there, without counting that as a use. */
  has(name: string): boolean {
    return this.entries.has(name);
  }

  /** Skips values larger than the whole cache. @param size in the unit of `maxSize` */
  set(name: string, value: Value, size: number): void {
    this.delete(name);
    if (size > this.maxSize) return;
    const entry = { name, value, size, older: undefined, newer: undefined };
    this.entries.set(name, entry);
    this.append(entry);
    this.total += size;
    while (this.oldest !== undefined && this.total > this.maxSize) this.remove(this.oldest);
  }

  /** Tells whether it was there. */
  delete(name: string): boolean {
    const entry = this.entries.get(name);
    if (entry !== undefined) this.remove(entry);
    return entry !== undefined;
  }

  private remove(entry: Entry<Value>): void {
    this.entries.delete(entry.name);
    this.unlink(entry);
    this.total -= entry.size;
  }

  private append(entry: Entry<Value>): void {
    entry.older = this.newest;
    entry.newer = undefined;
    if (this.newest) this.newest.newer = entry;
    else this.oldest = entry;
    this.newest = entry;
  }

  private unlink({ older, newer }: Entry<Value>): void {
    if (older) older.newer = newer;
    else this.oldest = newer;
    if (newer) newer.older = older;
    else this.newest = older;
  }
}
