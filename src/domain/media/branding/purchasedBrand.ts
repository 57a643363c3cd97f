import { LockMode } from '@mikro-orm/core';

import { execute, type Sql, type Transaction } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { Brand } from '../../../ports/brand.js';
import { Brand as StoredBrand } from './brand.entity.js';
import { CURRENT, OF_ATTEMPT, type BrandRow } from './brand.sql.js';

/**
 * The version for a purchase made in this transaction: the current one when its price is locked. A quote binds only the
 * price, so the branding is what the owner last saw in the settings.
 *
 * @throws BRAND_MISSING
 */
export async function pinBrand(tx: Transaction, accountId: string): Promise<number> {
  // Locked against replacement until the purchase that names it commits.
  const brand = await tx.em().findOne(StoredBrand, { accountId }, { lockMode: LockMode.PESSIMISTIC_READ });
  if (typeof brand?.currentVersion !== 'number') throw brandMissing();
  return brand.currentVersion;
}

/**
 * Fails before the upload, so that no video is uploaded for nothing. The purchase decides which version is bought.
 * @throws BRAND_MISSING
 */
export async function requireBrand(sql: Sql, accountId: string): Promise<void> {
  const [brand] = await execute(sql, CURRENT, { accountId });
  if (!brand) throw brandMissing();
}

/** The branding that an attempt was bought with; `null` without branding. */
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
