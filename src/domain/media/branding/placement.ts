import { AppError } from '../../../errors.js';
import { BRAND_POSITIONS, type BrandPlacement } from '../../../ports/brand.js';

/** Whole percent, inclusive. From the least that is visible to the most that leaves the video visible. */
const BRAND_LIMITS = {
  widthPercent: { least: 2, most: 50 },
  marginPercent: { least: 0, most: 20 },
  opacityPercent: { least: 5, most: 100 },
} as const;

/** The placement of an account's first logo. */
export const FIRST_PLACEMENT: BrandPlacement = {
  position: 'top_right',
  widthPercent: 15,
  marginPercent: 3,
  opacityPercent: 80,
};

/** @throws INVALID_INPUT naming what is out of range */
export function checkedPlacement({ position, ...lengths }: BrandPlacement): BrandPlacement {
  if (!BRAND_POSITIONS.includes(position)) throw new AppError('INVALID_INPUT', 'Unknown position.');
  const { widthPercent, marginPercent, opacityPercent } = lengths;
  const checked = { widthPercent, marginPercent, opacityPercent };
  for (const field of ['widthPercent', 'marginPercent', 'opacityPercent'] as const) {
    const { least, most } = BRAND_LIMITS[field];
    const value = checked[field];
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new AppError('INVALID_INPUT', `${field} must be a whole number from ${least} to ${most}.`, {
        details: { field },
      });
    }
  }
  return { position, ...checked };
}
