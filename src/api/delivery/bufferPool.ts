const SMALLEST_BYTES = 1_024;
/** Size classes between a size and its double. With eight, at most an eighth of a buffer is unused. */
const CLASSES = 8;

/**
 * Reuses memory. Allocating a segment's worth of memory costs more than reading the segment, because the kernel clears
 * it and the garbage collector has to reclaim it.
 */
export class BufferPool {
  private readonly free = new Map<number, ArrayBuffer[]>();
  private freeBytes = 0;
  /** Total of the sizes that borrowers stated. */
  lentBytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** Size of the buffer that holds this many bytes. */
  static sizeOf(sizeBytes: number): number {
    const wanted = Math.max(sizeBytes, SMALLEST_BYTES);
    const step = 2 ** Math.floor(Math.log2(wanted)) / CLASSES;
    return Math.ceil(wanted / step) * step;
  }

  /** @param size as it counts against the limit; at least the length that will be used */
  lend(size: number): Buffer {
    this.lentBytes += size;
    const memory = this.free.get(size)?.pop();
    if (memory) {
      this.freeBytes -= size;
      return Buffer.from(memory);
    }
    // Drop idle buffers, so that lent and free memory together stay within the limit.
    for (const [other, idle] of this.free) {
      while (this.lentBytes + this.freeBytes > this.maxBytes && idle.pop()) this.freeBytes -= other;
      if (idle.length === 0) this.free.delete(other);
    }
    return Buffer.allocUnsafeSlow(size);
  }

  /** @param size as passed to `lend` */
  takeBack(bytes: Buffer, size: number): void {
    this.lentBytes -= size;
    this.freeBytes += size;
    const idle = this.free.get(size) ?? [];
    idle.push(bytes.buffer as ArrayBuffer);
    this.free.set(size, idle);
  }
}
