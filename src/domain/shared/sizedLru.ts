/** A least-recently-used cache with a limit on the total size. */
export class SizedLru<Value> {
  private readonly entries = new Map<string, { readonly value: Value; readonly size: number }>();
  private total = 0;

  constructor(private readonly maxSize: number) {}

  get(name: string): Value | undefined {
    const entry = this.entries.get(name);
    if (entry === undefined) return undefined;
    this.entries.delete(name);
    this.entries.set(name, entry);
    return entry.value;
  }

  /** Skips values larger than the whole cache. @param size in the unit of `maxSize` */
  set(name: string, value: Value, size: number): void {
    this.delete(name);
    if (size > this.maxSize) return;
    this.entries.set(name, { value, size });
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
