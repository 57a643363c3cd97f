import { execute, type Sql } from '../../../db/sql.js';
import { QUALITIES, RENDITION_QUALITIES, type Quality, type RenditionQuality } from '../../../ports/transcoder.js';
import { releaseEscrow, settleEscrow, type EscrowId } from '../../ledger/escrow.js';
import { DELIVERED, type DeliveredRow } from './attempt.sql.js';
import { priceOf, type Addon } from '../../ledger/prices.js';

/** What of a purchase plays, and its cost. */
export interface Delivered {
  readonly best: RenditionQuality;
  /** The best of what is for sale; null where only light pictures play. */
  readonly charged: Quality | null;
  readonly dueMicros: bigint;
}

/** What of an attempt's ladder plays at this moment; `null` where nothing does. The video is locked by the caller. */
export async function deliveredOf(sql: Sql, { accountId, videoId, attempt }: EscrowId): Promise<Delivered | null> {
  const [row] = await execute(sql, DELIVERED, { accountId, videoId, attempt });
  const best = row && RENDITION_QUALITIES.findLast((quality) => row.playable_rungs.includes(quality));
  if (!best) return null;
  const charged = QUALITIES.findLast((quality) => row.playable_rungs.includes(quality)) ?? null;
  return { best, charged, dueMicros: charged === null ? 0n : dueMicros(row, charged) };
}

/**
 * Settles an escrow for what was delivered, or returns all of it if nothing was. Runs in a transaction that holds the
 * lock of the video.
 *
 * @returns false if it was already resolved
 */
export function resolveEscrow(sql: Sql, escrow: EscrowId, delivered: Delivered | null): Promise<boolean> {
  const { accountId, videoId, attempt } = escrow;
  if (!delivered || delivered.charged === null) return releaseEscrow(sql, { accountId, videoId, attempt });
  return settleEscrow(sql, { accountId, videoId, attempt, amountMicros: delivered.dueMicros });
}

/** The price was for the bought quality. If the ladder came out lower, it costs that quality's price, never more. */
function dueMicros(row: DeliveredRow, best: Quality): bigint {
  const priceMicros = BigInt(row.price_micros);
  if (best === row.quality) return priceMicros;
  // Audio cannot carry a logo.
  const addons: Addon[] = [
    ...(row.branding && best !== 'audio' ? (['branding'] as const) : []),
    ...(row.encryption ? (['encryption'] as const) : []),
  ];
  const { totalMicros } = priceOf(BigInt(row.duration_ms), best, addons);
  return totalMicros < priceMicros ? totalMicros : priceMicros;
}
