/** Limits how many bytes all holders may hold at once. It only counts; the holders keep the bytes. */
export class ByteBudget {
  private heldBytes = 0;
  private mostBytes = 0;

  constructor(private readonly limitBytes: number) {}

  /** `null` if that would exceed the limit. */
  take(sizeBytes: number): Disposable | null {
    if (this.heldBytes + sizeBytes > this.limitBytes) return null;
    this.heldBytes += sizeBytes;
    this.mostBytes = Math.max(this.mostBytes, this.heldBytes);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.heldBytes -= sizeBytes;
        isHeld = false;
      },
    };
  }

  /** Bytes held now, and the peak. */
  get usage(): { heldBytes: number; mostBytes: number } {
    return { heldBytes: this.heldBytes, mostBytes: this.mostBytes };
  }
}
