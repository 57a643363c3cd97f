/** The clocks of the machine that this process runs on. */
export interface MachineClock {
  /** Names this run of the machine: another one after each boot. */
  readonly runId: string;
  /** Since the boot, sleep included. Nobody can set it. */
  uptimeMs(): number;
  /** The machine's own calendar, in milliseconds since 1970. */
  nowMs(): number;
}
