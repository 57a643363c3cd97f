const WINDOW_MS = 6000;

/** Bytes per second over the last seconds: steady enough to read, quick enough to be accurate. */
export class Speedometer {
  #samples: { atMs: number; bytes: number }[] = [];

  /** Records that `bytes` in total have been sent at `atMs`. */
  note(bytes: number, atMs: number): void {
    this.#samples.push({ atMs, bytes });
    this.#samples = this.#samples.filter((sample) => atMs - sample.atMs <= WINDOW_MS);
  }

  reset(): void {
    this.#samples = [];
  }

  get bytesPerSecond(): number | undefined {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (!first || !last || last.atMs - first.atMs < 500) return undefined;
    return ((last.bytes - first.bytes) * 1000) / (last.atMs - first.atMs);
  }
}
