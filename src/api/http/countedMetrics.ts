import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Adds what responses have sent, by route. */
export function countBytes(registry: Registry, sent: ReadonlyMap<string, number>): void {
  const bytes = new Counter({
    name: 'dhara_http_sent_bytes_total',
    help: 'Bytes that left in responses, headers included, by route',
    labelNames: ['route'],
    registers: [registry],
    collect: () => {
      bytes.reset();
      for (const [route, count] of sent) bytes.inc({ route }, count);
    },
  });
}

/** Adds requests for playback tokens, and how many of them shared a statement. */
export function watchTokens(
  registry: Registry,
  stats: () => {
    readonly answers: ReadonlyMap<string, number>;
    readonly statements: number;
    readonly requests: number;
  },
): void {
  const registers = [registry];
  const tokens = new Counter({
    name: 'dhara_playback_tokens_total',
    help: 'Requests for playback tokens: minted, or the code of the refusal',
    labelNames: ['outcome'],
    registers,
    collect: () => {
      tokens.reset();
      for (const [outcome, count] of stats().answers) tokens.inc({ outcome }, count);
    },
  });
  const statements = new Counter({
    name: 'dhara_quota_statements_total',
    help: 'Statements that took playback tokens of quotas',
    registers,
    collect: () => {
      statements.reset();
      statements.inc(stats().statements);
    },
  });
  const requests = new Counter({
    name: 'dhara_quota_statement_requests_total',
    help: 'Requests for playback tokens that these statements served',
    registers,
    collect: () => {
      requests.reset();
      requests.inc(stats().requests);
    },
  });
}

/** How operations that may read from the replica were served. */
export type ReplicaOutcome = 'replica' | 'failed' | 'own_write' | 'unusable';

/** Adds reads from the replica. Returns what counts one. */
export function watchReplica(registry: Registry, lagSeconds: () => number): (outcome: ReplicaOutcome) => void {
  const registers = [registry];
  const reads = new Counter({
    name: 'dhara_replica_reads_total',
    help: 'Reads that the replica served or failed, and operations that read from the primary after a write or because the replica was unusable, by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const lag: Gauge = new Gauge({
    name: 'dhara_replica_lag_seconds',
    help: 'How far the replica is behind at most; +Inf if that is not known',
    aggregator: 'max',
    registers,
    collect: (): void => lag.set(lagSeconds()),
  });
  return (outcome) => reads.inc({ outcome });
}

/** Adds the postings of this process. Returns what counts one. */
export function watchPostings(registry: Registry): (type: string, outcome: string, durationMs: number) => void {
  const postings = new Histogram({
    name: 'dhara_ledger_posting_duration_seconds',
    help: 'Duration of postings to the ledger, by type and outcome; nights of storage are not among them',
    labelNames: ['type', 'outcome'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.1, 0.25, 1, 5],
    registers: [registry],
  });
  return (type, outcome, durationMs) => postings.observe({ type, outcome }, durationMs / 1000);
}

/** Adds what all processes have in common about money. Read when somebody asks. */
export function watchMoney(
  registry: Registry,
  { escrowCredits, nightLagSeconds }: { escrowCredits: () => Promise<number>; nightLagSeconds: () => Promise<number> },
): void {
  const registers = [registry];
  const escrow: Gauge = new Gauge({
    name: 'dhara_escrow_held_credits',
    help: 'Credits that all owners together have in escrow',
    registers,
    collect: async (): Promise<void> => escrow.set(await orUnknown(escrowCredits)),
  });
  const lag: Gauge = new Gauge({
    name: 'dhara_storage_night_lag_seconds',
    help: 'How long the next storage charge has been due; 0 if none is',
    registers,
    collect: async (): Promise<void> => lag.set(await orUnknown(nightLagSeconds)),
  });
}

/** Without the database, the other figures are still of use. */
function orUnknown(read: () => Promise<number>): Promise<number> {
  return read().catch(() => Number.NaN);
}
