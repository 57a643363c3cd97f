import type { Sql } from '../../db/sql.js';
import { AppError, toAppError } from '../../errors.js';
import { SharedReads } from '../shared/sharedReads.js';
import type { DatabaseClock } from './databaseClock.js';
import { type Granted, GrantedTokens } from './mintAnswers.js';
import {
  type ExplainRow,
  explain,
  type KeyRequest,
  mintKeys,
  mintMany,
  type MintRow,
  mintOne,
  recall,
} from './mint.sql.js';

interface Waiting {
  /** `null` for an identifier that names no video: it is refused, after key, account and quota. */
  readonly videoId: string | null;
  resolve(granted: Granted): void;
  reject(reason: unknown): void;
}

interface KeyQueue {
  readonly hash: Buffer;
  waiting: Waiting[];
  /** Somebody else held its row: it has statements of its own, which wait for it. */
  isContended: boolean;
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
 * Keys share statements: those whose requests come while others' are under way go out together, with one commit. A key
 * whose row somebody else holds, such as another process, goes on by itself, and nobody waits for it.
 *
 * A busy key's ceiling is its row lock. Requests that arrive while the key's statement is under way share the next
 * one: it asks for as many tokens as there are playable requests, and what was granted is handed out in order, with
 * each answer's `remaining` as if every request had had a statement of its own. A key without requests has no queue.
 */
export class MintQueue {
  private readonly queues = new Map<string, KeyQueue>();
  private readonly shared = new SharedReads<KeyRequest, MintRow | null>((requests) => this.mintKeys(requests));

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
        const started = { hash, waiting: [request], isContended: false };
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
    return this.askOnce({ hash, isContended: false }, []);
  }

  /** Keys with requests under way. */
  get size(): number {
    return this.queues.size;
  }

  private async work(keyText: string, queue: KeyQueue): Promise<void> {
    while (queue.waiting.length > 0) {
      const batch = queue.waiting.splice(0, MAX_BATCH);
      const settle = await this.ask(queue, batch);
      // The next statement goes out before this one's tokens are signed: the database works meanwhile.
      if (queue.waiting.length > 0) setImmediate(settle);
      else settle();
    }
    this.queues.delete(keyText);
  }

  /** Finds every request's answer. Returns what tells them. */
  private async ask(queue: KeyQueue, batch: readonly Waiting[]): Promise<() => void> {
    const answers = new Map<Waiting, Granted | Error>();
    try {
      let open = batch;
      for (let tries = 0; open.length > 0 && tries < MAX_TRIES; tries += 1) {
        const granted = await this.askOnce(queue, open);
        open = open.filter((request) => {
          const answer = granted.next(request.videoId);
          if (answer !== 'retry') answers.set(request, answer);
          return answer === 'retry';
        });
        queue.isContended ||= open.length > 0;
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

  private async askOnce(
    key: Pick<KeyQueue, 'hash' | 'isContended'>,
    requests: readonly Waiting[],
  ): Promise<GrantedTokens> {
    const counts = new Map<string, number>();
    for (const { videoId } of requests) if (videoId !== null) counts.set(videoId, (counts.get(videoId) ?? 0) + 1);
    const videoIds = [...counts.keys()];
    const many = [key.hash, videoIds, [...counts.values()]];

    const minted = await this.mint(key, counts, many);
    const row = minted ?? (await this.explain(key.hash, many));
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

  private async mint(
    { hash, isContended }: Pick<KeyQueue, 'hash' | 'isContended'>,
    counts: ReadonlyMap<string, number>,
    many: readonly unknown[],
  ): Promise<MintRow | null> {
    const [first] = counts;
    if (!first) return null;
    const [videoId, count] = first;
    // Alone, a key has nobody to share with, and may wait for its row.
    const isShared = counts.size === 1 && !isContended && this.queues.size > 1;
    if (isShared) return this.shared.read({ hash, videoId, count });
    const [row] =
      counts.size === 1
        ? await this.sql.query<MintRow>(mintOne, [hash, videoId, count])
        : await this.sql.query<MintRow>(mintMany, many);
    return row ?? null;
  }

  private async mintKeys(requests: readonly KeyRequest[]): Promise<(MintRow | null)[]> {
    const values = [
      requests.map(({ hash }) => hash),
      requests.map(({ videoId }) => videoId),
      requests.map(({ count }) => count),
    ];
    const rows = await this.sql.query<MintRow & { hash: Buffer }>(mintKeys, values).catch((error: unknown) => {
      // What is wrong with one key's row is not its neighbours' fault: each asks by itself then.
      if (requests.length > 1 && toAppError(error).code !== 'SERVICE_UNAVAILABLE') return [];
      throw error;
    });
    const byHash = new Map(rows.map((row) => [row.hash.toString('latin1'), row]));
    return requests.map(({ hash }) => byHash.get(hash.toString('latin1')) ?? null);
  }
}
