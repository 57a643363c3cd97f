import pg from 'pg';

/**
 * A pooled connection whose `begin` and `rollback` never fail. The query builder returns a connection only if the
 * transaction began and the rollback did not fail. The pool would never get back a connection that is lost in between,
 * and would run dry. The next statement reports why `begin` failed instead.
 */
export class PooledClient extends pg.Client {
  /** Why the transaction has not begun. */
  private failure: Error | null = null;

  override query(...args: unknown[]): never {
    const text = textOf(args[0]);
    if (this.failure && text !== 'rollback') return failed(this.failure, args.at(-1)) as never;
    this.failure = null;
    const answer = (super.query as (...values: unknown[]) => unknown).apply(this, args);
    if (!(answer instanceof Promise)) return answer as never;
    if (text === 'rollback') return this.forgivingRollback(answer) as never;
    return (BEGIN.test(text) ? this.forgivingBegin(answer) : answer) as never;
  }

  private async forgivingBegin(begin: Promise<unknown>): Promise<unknown> {
    try {
      return await begin;
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error('the transaction did not begin', { cause: error });
      return nothing('BEGIN');
    }
  }

  private async forgivingRollback(rollback: Promise<unknown>): Promise<unknown> {
    try {
      return await rollback;
    } catch {
      // The connection's state is unknown, so nobody may use it again: the pool drops a connection that has ended.
      void this.end().catch(() => undefined);
      return nothing('ROLLBACK');
    }
  }
}

const BEGIN = /^(?:begin|start transaction)\b/;

function textOf(query: unknown): string {
  const text = typeof query === 'object' && query !== null && 'text' in query ? query.text : query;
  return typeof text === 'string' ? text : '';
}

/** Like pg, which takes a callback or returns a promise. */
function failed(failure: Error, callback: unknown): Promise<never> | undefined {
  if (typeof callback !== 'function') return Promise.reject(failure);
  process.nextTick(callback, failure);
  return undefined;
}

function nothing(command: string) {
  return { command, rowCount: null, rows: [], fields: [], oid: 0 };
}
