import { execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { Brand } from '../../../ports/brand.js';
import { CURRENT, OF_ATTEMPT, PIN, type BrandRow } from './brand.sql.js';

/**
 * The version that a purchase made in this transaction shows: what is current when its price is locked. A quote binds
 * the price alone, so that what an owner saw last in the settings is what is burned in.
 *
 * @throws BRAND_MISSING
 */
export async function pinBrand(sql: Sql, accountId: string): Promise<number> {
  const [brand] = await execute(sql, PIN, { accountId });
  if (!brand) throw brandMissing();
  return brand.current_version;
}

/** @throws BRAND_MISSING: said before a video is sent for nothing. What is bought is decided when it is. */
export async function requireBrand(sql: Sql, accountId: string): Promise<void> {
  const [brand] = await execute(sql, CURRENT, { accountId });
  if (!brand) throw brandMissing();
}

/** What an attempt was bought with; `null` without branding. */
export async function brandOfAttempt(
  sql: Sql,
  { accountId, videoId, attempt }: { accountId: string; videoId: string; attempt: number },
): Promise<Brand | null> {
  const [row] = await execute(sql, OF_ATTEMPT, { accountId, videoId, attempt });
  return row ? brandOf(row) : null;
}

export function brandOf(row: BrandRow & { png: Buffer }): Brand {
  return {
    position: row.position,
    widthPercent: row.width_percent,
    marginPercent: row.margin_percent,
    opacityPercent: row.opacity_percent,
    logo: { png: row.png, width: row.width, height: row.height },
  };
}

export function brandMissing(): AppError {
  return new AppError('BRAND_MISSING', 'No logo yet. Upload one in Settings under Branding.');
}
