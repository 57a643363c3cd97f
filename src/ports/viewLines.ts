/** A view as it was when it was written. A later line of the same view replaces it. */
export interface ViewLine {
  /** Of this schema. */
  readonly v: 1;
  /** UUIDs, like the other ids. */
  readonly viewId: string;
  readonly accountId: string;
  readonly videoId: string;
  /** `null` for the account's own preview. */
  readonly keyId: string | null;
  readonly audience: 'viewer' | 'bot' | 'preview';
  /** When the token was minted, RFC 3339. */
  readonly mintedAt: string;
  readonly writtenAt: string;
  readonly durationMs: number;
  /** Two letters; empty if unknown. */
  readonly country: string;
  readonly browser: string;
  readonly device: string;
  /** 0 before the first report. */
  readonly seq: number;
  readonly startupMs: number | null;
  readonly watchedMs: number;
  readonly stalledMs: number;
  readonly stalls: number;
  readonly switches: number;
  /** Starts and ends, in ms of the video. */
  readonly ranges: readonly (readonly [number, number])[];
  readonly errors: readonly { readonly code: string; readonly atMs: number }[];
  readonly ended: boolean;
}

/** Hands views to another system, such as a log pipeline. */
export interface ViewLines {
  /** Never throws and never waits. What the other side is too slow for is dropped and counted. */
  write(lines: readonly ViewLine[]): void;
  /** Lines that were dropped. */
  readonly dropped: number;
  /** Resolves once everything written has left the process. */
  close(): Promise<void>;
}
