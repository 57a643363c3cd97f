/**
 * What the database's clock says, as far as this process knows: its own clock, corrected by the last answer that
 * carried the database's. For what is said without a statement; what is decided, a statement decides.
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
