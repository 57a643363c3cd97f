import type { Sql } from '../../db/sql.js';
import { AppError } from '../../errors.js';
import type { DatabaseClock } from './databaseClock.js';
import { type Granted, GrantedTokens } from './mintAnswers.js';
import { type ExplainRow, explain, mintMany, type MintRow, mintOne, recall } from './mintStatements.js';

interface Waiting {
  /** `null` for an identifier that names no video: it is refused, after key, account and quota. */
  readonly videoId: string | null;
  resolve(granted: Granted): void;
  reject(reason: unknown): void;
}

interface KeyQueue {
  readonly hash: Buffer;
  waiting: Waiting[];
}

/** Requests of one key that share a statement at most. */
const MAX_BATCH = 64;
/**
 * Requests of one key that wait in this process at most. A client that is this far ahead of its own row is told to
 * come back instead of growing the process.
 */
const MAX_WAITING = 20_000;
/** Each further try needs somebody to have changed the key or its videos in between. */
const MAX_TRIES = 10;

/**
 * Mints in order of arrival, one statement per key in flight.
 *
 * A busy key's ceiling is its row lock. Requests that arrive while the key's statement is under way share the next
 * one: it asks for as many tokens as there are playable requests, and what was granted is handed out in order, with
 * each answer's `remaining` as if every request had had a statement of its own. A key without requests has no queue.
 */
export class MintQueue {
  private readonly queues = new Map<string, KeyQueue>();

  constructor(
    private readonly sql: Sql,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * Takes one token of the key, for one video.
   *
   * @param keyText a well-formed key, `hash` its hash
   * @param videoId UUID, or `null` for an identifier that names no video
   * @throws MintRefusal
   */
  take(keyText: string, hash: Buffer, videoId: string | null): Promise<Granted> {
    return new Promise((resolve, reject) => {
      const request = { videoId, resolve, reject };
      const queue = this.queues.get(keyText);
      if (!queue) {
        const started = { hash, waiting: [request] };
        this.queues.set(keyText, started);
        void this.work(keyText, started);
      } else if (queue.waiting.length < MAX_WAITING) {
        queue.waiting.push(request);
      } else {
        reject(new AppError('SERVICE_UNAVAILABLE', 'Too many requests with this key at once. Please try again.'));
      }
    });
  }

  /** How the key stands, without taking anything: one read. @param hash of a well-formed key */
  standing(hash: Buffer): Promise<GrantedTokens> {
    return this.askOnce(hash, []);
  }

  /** Keys with requests under way. */
  get size(): number {
    return this.queues.size;
  }

  private async work(keyText: string, queue: KeyQueue): Promise<void> {
    while (queue.waiting.length > 0) {
      const batch = queue.waiting.splice(0, MAX_BATCH);
      const settle = await this.ask(queue.hash, batch);
      // The next statement goes out before this one's tokens are signed: the database works meanwhile.
      if (queue.waiting.length > 0) setImmediate(settle);
      else settle();
    }
    this.queues.delete(keyText);
  }

  /** Finds every request's answer. Returns what tells them. */
  private async ask(hash: Buffer, batch: readonly Waiting[]): Promise<() => void> {
    const answers = new Map<Waiting, Granted | Error>();
    try {
      let open = batch;
      for (let tries = 0; open.length > 0 && tries < MAX_TRIES; tries += 1) {
        const granted = await this.askOnce(hash, open);
        open = open.filter((request) => {
          const answer = granted.next(request.videoId);
          if (answer !== 'retry') answers.set(request, answer);
          return answer === 'retry';
        });
      }
    } catch (error) {
      const failure = error instanceof Error ? error : new Error('The mint failed.', { cause: error });
      for (const request of batch) if (!answers.has(request)) answers.set(request, failure);
    }
    return () => {
      for (const request of batch) {
        const answer = answers.get(request) ?? new AppError('SERVICE_UNAVAILABLE', 'Please try again.');
        if (answer instanceof Error) request.reject(answer);
        else request.resolve(answer);
      }
    };
  }

  private async askOnce(hash: Buffer, requests: readonly Waiting[]): Promise<GrantedTokens> {
    const counts = new Map<string, number>();
    for (const { videoId } of requests) if (videoId !== null) counts.set(videoId, (counts.get(videoId) ?? 0) + 1);
    const videoIds = [...counts.keys()];
    const many = [hash, videoIds, [...counts.values()]];

    const [minted] = await this.mint(hash, counts, many);
    const row = minted ?? (await this.explain(hash, many));
    this.clock.observe(row.now_epoch);
    const states = row.states.split(',');
    return new GrantedTokens(row, new Map(videoIds.map((videoId, index) => [videoId, states[index] ?? '-'])));
  }

  private async explain(hash: Buffer, many: readonly unknown[]): Promise<ExplainRow> {
    const [row] = await this.sql.query<ExplainRow>(explain, many);
    if (!row) throw new Error('The explaining statement always has a row.');
    if (!row.ahead) return row;
    await this.sql.query(recall, [hash]);
    // It may have quota now, which the same requests find by being asked again.
    const [recalled] = await this.sql.query<ExplainRow>(explain, many);
    return recalled ?? row;
  }

  private mint(hash: Buffer, counts: ReadonlyMap<string, number>, many: readonly unknown[]): Promise<MintRow[]> {
    const [first] = counts;
    if (!first) return Promise.resolve([]);
    return counts.size === 1
      ? this.sql.query<MintRow>(mintOne, [hash, ...first])
      : this.sql.query<MintRow>(mintMany, many);
  }
}
