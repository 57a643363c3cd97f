/** The clocks of the machine that this process runs on. */
export interface MachineClock {
  /** Identifies one boot of the machine. */
  readonly runId: string;
  /** Time since boot, including sleep. Nobody can set it. */
  uptimeMs(): number;
  /** The machine's own calendar, in milliseconds since 1970. */
  nowMs(): number;
}
