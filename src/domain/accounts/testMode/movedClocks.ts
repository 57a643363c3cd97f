import { execute, type Sql } from '../../../db/sql.js';
import { isDatabaseUnavailable } from '../../../errors.js';
import { SizedLru } from '../../shared/sizedLru.js';
import { CLOCK } from './testFacts.js';

const MAX_KNOWN = 50_000;

/**
 * The clocks of test accounts, for requests of viewers. A live account never gets one, so each process asks once, also
 * if many viewers of an account that it does not know report at the same time.
 */
export class MovedClocks {
  private readonly live = new SizedLru<true>(MAX_KNOWN);
  private readonly asked = new Map<string, Promise<number>>();

  constructor(private readonly sql: Sql) {}

  /** By how many seconds the account's clock was moved: 0 in live mode, and while the database does not respond. */
  async movedSeconds(accountId: string): Promise<number> {
    if (this.live.get(accountId)) return 0;
    const asked = this.asked.get(accountId);
    if (asked) return asked;
    const asking = this.ask(accountId).finally(() => this.asked.delete(accountId));
    this.asked.set(accountId, asking);
    return asking;
  }

  private async ask(accountId: string): Promise<number> {
    try {
      const [row] = await execute(this.sql, CLOCK, { accountId });
      if (row?.is_test) return row.moved_seconds;
    } catch (error) {
      if (isDatabaseUnavailable(error)) return 0;
      throw error;
    }
    this.live.set(accountId, true, 1);
    return 0;
  }
}
