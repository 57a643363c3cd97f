/**
 * Estimates the database's time: this process's clock, corrected by the offset seen in the last response of the
 * database. Use it only for information. Statements make every decision with the database's own clock.
 */
export class DatabaseClock {
  private offsetMs = 0;

  /** @param nowEpochSeconds the database's time, just read */
  observe(nowEpochSeconds: number): void {
    this.offsetMs = nowEpochSeconds * 1000 - Date.now();
  }

  nowEpochSeconds(): number {
    return Math.floor((Date.now() + this.offsetMs) / 1000);
  }
}
