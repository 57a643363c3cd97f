const SMALLEST_BYTES = 1_024;
/** Between a size and its double lie so many classes: at most an eighth of a buffer is unused. */
const CLASSES = 8;

/**
 * Memory that is used again. Fresh memory of a segment's size costs more than reading the segment: the kernel clears it,
 * and the collector comes for it.
 */
export class BufferPool {
  private readonly free = new Map<number, ArrayBuffer[]>();
  private freeBytes = 0;
  /** What those who were lent it said it takes. */
  lentBytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** Of the buffer that holds so many bytes. */
  static sizeOf(sizeBytes: number): number {
    const wanted = Math.max(sizeBytes, SMALLEST_BYTES);
    const step = 2 ** Math.floor(Math.log2(wanted)) / CLASSES;
    return Math.ceil(wanted / step) * step;
  }

  /** @param size as it is counted; the buffer may be up to so long */
  lend(size: number): Buffer {
    this.lentBytes += size;
    const memory = this.free.get(size)?.pop();
    if (memory) {
      this.freeBytes -= size;
      return Buffer.from(memory);
    }
    // Others that lie idle make room: lent and free together are no more than there may be.
    for (const [other, idle] of this.free) {
      while (this.lentBytes + this.freeBytes > this.maxBytes && idle.pop()) this.freeBytes -= other;
      if (idle.length === 0) this.free.delete(other);
    }
    return Buffer.allocUnsafeSlow(size);
  }

  /** @param size as it was lent */
  takeBack(bytes: Buffer, size: number): void {
    this.lentBytes -= size;
    this.freeBytes += size;
    const idle = this.free.get(size) ?? [];
    idle.push(bytes.buffer as ArrayBuffer);
    this.free.set(size, idle);
  }
}
