import { type Database, execute } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { newId } from '../../shared/ids.js';
import type { Viewer } from '../viewer.js';
import { OPEN_TEST_ACCOUNT, TEST_ACCOUNT_OF } from './testAccount.sql.js';

/**
 * Test mode: what an owner makes in it belongs to their test account, so that every list, key, counter and event of the
 * two modes is apart. It is opened when it is first asked for.
 */
export class TestModeService {
  constructor(private readonly db: Database) {}

  /** The same viewer in test mode. */
  async viewerIn(viewer: Viewer): Promise<Viewer> {
    return { ...viewer, mode: 'test', accountId: await this.accountOf(viewer.accountId) };
  }

  /** The test account of a live account. */
  async accountOf(liveAccountId: string): Promise<string> {
    const { sql } = this.db;
    const [found] = await execute(sql, TEST_ACCOUNT_OF, { liveAccountId });
    if (found) return found.account_id;
    const [opened] = await execute(sql, OPEN_TEST_ACCOUNT, { liveAccountId, testAccountId: newId() });
    if (!opened) throw new Error('a test account was not opened');
    return opened.account_id;
  }
}

/** For what exists in live mode only: credits, payments, staff, and the owner's own sign-in. */
export function liveModeOnly(): AppError {
  return new AppError('LIVE_MODE_ONLY', 'This exists in live mode only. Leave test mode first.');
}
