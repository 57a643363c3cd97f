import { execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { MODES_OF } from '../../accounts/testMode/testAccount.sql.js';
import { liveModeOnly } from '../../accounts/testMode/testMode.service.js';
import { TEST_VIDEO_LIMITS } from './testVideoLimits.js';

/** A test video is processed by itself, free of charge. */
export const TEST_VIDEO_CHOICE = { quality: '480p', autoProcess: true } as const;

/**
 * Whether the account is a test account, whose videos may be so.
 *
 * @throws LIVE_MODE_ONLY for an add-on of a test video, FILE_TOO_LARGE
 */
export async function isTestVideo(
  sql: Sql,
  accountId: string,
  input: {
    readonly sizeBytes: number;
    readonly branding?: boolean | undefined;
    readonly encryption?: boolean | undefined;
  },
): Promise<boolean> {
  const [modes] = await execute(sql, MODES_OF, { accountId });
  if (!modes?.is_test) return false;
  if (input.branding === true || input.encryption === true) throw liveModeOnly();
  if (input.sizeBytes > TEST_VIDEO_LIMITS.sizeBytes) {
    throw new AppError('FILE_TOO_LARGE', `A test video has at most ${TEST_VIDEO_LIMITS.sizeBytes} bytes.`, {
      details: { maxSizeBytes: String(TEST_VIDEO_LIMITS.sizeBytes) },
    });
  }
  return true;
}
