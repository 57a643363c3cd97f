/** So many bytes may be held at once, by all together. Counts; the holders do the holding. */
export class ByteBudget {
  private heldBytes = 0;
  private mostBytes = 0;

  constructor(private readonly limitBytes: number) {}

  /** `null` where that would be too many. */
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

  /** Held now, and the most that ever was. */
  get usage(): { heldBytes: number; mostBytes: number } {
    return { heldBytes: this.heldBytes, mostBytes: this.mostBytes };
  }
}
