import { execute, type Sql } from '../../db/sql.js';
import { AppError, toAppError } from '../../errors.js';
import { SharedReads } from '../shared/sharedReads.js';
import type { DatabaseClock } from './databaseClock.js';
import { type Granted, GrantedTokens } from './grantedTokens.js';
import {
  type ExplainRow,
  explain,
  type KeyRequest,
  type KeyRequests,
  mintKeys,
  mintMany,
  type MintRow,
  mintOne,
  recall,
} from './mint.sql.js';

interface Waiting {
  /** `null` for an identifier that names no video. It is refused only after the checks of key, account and quota. */
  readonly videoId: string | null;
  resolve(granted: Granted): void;
  reject(reason: unknown): void;
}

interface KeyQueue {
  readonly hash: Buffer;
  waiting: Waiting[];
  /** Someone else held the key's row, so the key gets its own statements, which wait for the row. */
  isContended: boolean;
}

/**
 * With so many keys in flight, others share the next commit. At full load, that is some 5 % more tokens than with two
 * statements at any time. With one statement at any time, a token at half load takes a quarter longer.
 */
const FEW = 4;
/** Maximum number of requests of one key that share a statement. */
const MAX_BATCH = 64;
/**
 * Maximum number of requests of one key that wait in this process. Beyond it, clients are told to come back later, so
 * the process does not grow without bound.
 */
const MAX_WAITING = 20_000;
/** A retry is needed only if somebody changed the key or its videos in between. */
const MAX_TRIES = 10;

/**
 * Mints in order of arrival, with one statement per key in flight.
 *
 * Keys share statements: keys whose requests arrive in one turn of the event loop, or while many others are in flight, go
 * out together, with one commit. If someone else, such as another process, holds a key's row, that key gets its
 * own statement, and no other key waits for it.
 *
 * The row lock limits the throughput of a busy key. Requests that arrive while the key's statement runs share the next
 * one. It asks for as many tokens as there are playable requests and hands them out in order; each response's
 * `remaining` is what its own statement would have returned. Keys without requests have no queue.
 */
export class MintQueue {
  private readonly queues = new Map<string, KeyQueue>();
  /** Statements that took tokens since the start, and the requests that shared them. */
  statements = 0;
  requests = 0;
  private readonly shared = new SharedReads<KeyRequest, MintRow | null>((requests) => this.mintKeys(requests), {
    few: FEW,
  });

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
        // Requests that arrive in the same turn share the first statement.
        setImmediate(() => void this.work(keyText, started));
      } else if (queue.waiting.length < MAX_WAITING) {
        queue.waiting.push(request);
      } else {
        reject(new AppError('SERVICE_UNAVAILABLE', 'Too many requests with this key at once. Please try again.'));
      }
    });
  }

  /** Reads the key's quota without taking a token. @param hash of a well-formed key */
  standing(hash: Buffer): Promise<GrantedTokens> {
    return this.askOnce({ hash, isContended: false }, []);
  }

  /** Keys with requests in flight. */
  get size(): number {
    return this.queues.size;
  }

  private async work(keyText: string, queue: KeyQueue): Promise<void> {
    while (queue.waiting.length > 0) {
      const batch = queue.waiting.splice(0, MAX_BATCH);
      const settle = await this.ask(queue, batch);
      // Send the next statement before signing this one's tokens, so that the database works meanwhile.
      if (queue.waiting.length > 0) setImmediate(settle);
      else settle();
    }
    this.queues.delete(keyText);
  }

  /** Finds every request's response. Returns a function that delivers them. */
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
    const many = { hash: key.hash, videoIds, counts: [...counts.values()] };

    const minted = await this.mint(key, counts, many);
    const row = minted ?? (await this.explain(many));
    this.clock.observe(row.now_epoch);
    const states = row.states.split(',');
    return new GrantedTokens(row, new Map(videoIds.map((videoId, index) => [videoId, states[index] ?? '-'])));
  }

  private async explain(many: KeyRequests): Promise<ExplainRow> {
    const [row] = await execute(this.sql, explain, many);
    if (!row) throw new Error('The explaining statement always has a row.');
    if (!row.ahead) return row;
    await execute(this.sql, recall, { hash: many.hash });
    // The key may have quota now; asking again for the same requests finds out.
    const [recalled] = await execute(this.sql, explain, many);
    return recalled ?? row;
  }

  private async mint(
    { hash, isContended }: Pick<KeyQueue, 'hash' | 'isContended'>,
    counts: ReadonlyMap<string, number>,
    many: KeyRequests,
  ): Promise<MintRow | null> {
    const [first] = counts;
    if (!first) return null;
    const [videoId, count] = first;
    // A key that is alone shares with nobody, so it may wait for its row.
    const isShared = counts.size === 1 && !isContended && this.queues.size > 1;
    if (isShared) return this.shared.read({ hash, videoId, count });
    this.countStatement([...counts.values()]);
    const [row] =
      counts.size === 1
        ? await execute(this.sql, mintOne, { hash, videoId, count })
        : await execute(this.sql, mintMany, many);
    return row ?? null;
  }

  private async mintKeys(requests: readonly KeyRequest[]): Promise<(MintRow | null)[]> {
    const counts = requests.map(({ count }) => count);
    this.countStatement(counts);
    const rows = await execute(this.sql, mintKeys, {
      hashes: requests.map(({ hash }) => hash),
      videoIds: requests.map(({ videoId }) => videoId),
      counts,
    }).catch((error: unknown) => {
      // An error of one key's row must not fail the other keys, so each key then asks by itself.
      if (requests.length > 1 && toAppError(error).code !== 'SERVICE_UNAVAILABLE') return [];
      throw error;
    });
    const byHash = new Map(rows.map((row) => [row.hash.toString('latin1'), row]));
    return requests.map(({ hash }) => byHash.get(hash.toString('latin1')) ?? null);
  }

  private countStatement(counts: readonly number[]): void {
    this.statements += 1;
    for (const count of counts) this.requests += count;
  }
}
