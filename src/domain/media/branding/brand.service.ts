import { createHash } from 'node:crypto';

import { type Database, execute, type Sql } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import {
  UnusableLogoError,
  type BrandLogo,
  type BrandPlacement,
  type BrandStill,
  type LogoTools,
} from '../../../ports/brand.js';
import type { ObjectStore } from '../../../ports/objectStore.js';
import { TranscoderUnavailableError } from '../../../ports/transcoder.js';
import { DrawingTurns, inTime } from '../../shared/drawingTurns.js';
import { LOWEST_ID } from '../../shared/ids.js';
import type { PublishedMedia } from '../library/publishedMedia.js';
import { Video } from '../library/video.entity.js';
import { Brand } from './brand.entity.js';
import * as statements from './brand.sql.js';
import { BrandLogo as StoredLogo } from './brandLogo.entity.js';
import { checkedPlacement, FIRST_PLACEMENT } from './placement.js';
import { brandMissing, brandOf } from './purchasedBrand.js';

/** The branding for an account's videos from now on. */
export interface CurrentBrand extends BrandPlacement {
  /** Increases with every change. */
  readonly version: number;
  /** Of the PNG, in hexadecimal. */
  readonly sha256: string;
  readonly logoWidth: number;
  readonly logoHeight: number;
  readonly createdAt: Date;
}

/** The largest logo that can be uploaded. */
export const MAX_LOGO_BYTES = 1_000_000;

const LONGEST_DELETION_MS = 3_600_000;

export interface BrandDeps {
  readonly db: Database;
  readonly tools: LogoTools;
  readonly store: Pick<ObjectStore, 'get'>;
  readonly media: Pick<PublishedMedia, 'posterKey'>;
}

/**
 * An account's logo and its placement. Every change makes a new version, and each purchase names its version, so a
 * changed logo never changes a video that was already bought.
 */
export class BrandService {
  private readonly turns = new DrawingTurns('logo');
  /** Each run continues an hour before the last one ended. A new process begins two months back. */
  private prunedUntil: Date | null = null;

  constructor(private readonly deps: BrandDeps) {}

  async current(accountId: string): Promise<CurrentBrand | null> {
    return currentOf(this.deps.db.sql, accountId);
  }

  /**
   * Makes an uploaded PNG or SVG the logo. It keeps the placement of the previous one.
   *
   * @throws INVALID_INPUT with a message about the file; FILE_TOO_LARGE; RATE_LIMIT_EXCEEDED; SERVICE_UNAVAILABLE
   */
  async setLogo(accountId: string, bytes: Uint8Array): Promise<CurrentBrand> {
    if (bytes.length > MAX_LOGO_BYTES) throw logoTooLarge();
    const logo = await this.draw(accountId, (tools) => tools.normaliseLogo(bytes));
    return this.change(accountId, async (sql, before) => {
      await addVersion(sql, accountId, await keepLogo(sql, accountId, logo), before ?? FIRST_PLACEMENT);
    });
  }

  /** @throws INVALID_INPUT, BRAND_MISSING */
  async place(accountId: string, placement: BrandPlacement): Promise<CurrentBrand> {
    const checked = checkedPlacement(placement);
    return this.change(accountId, async (sql, before) => {
      if (!before) throw brandMissing();
      await addVersion(sql, accountId, before.sha256, checked);
    });
  }

  /** Stops its use in new purchases; earlier purchases keep it. Does nothing if there is no logo. */
  async remove(accountId: string): Promise<void> {
    await this.deps.db.transaction(async ({ sql, em }) => {
      await execute(sql, statements.LOCK, { accountId });
      await em().nativeUpdate(Brand, { accountId }, { currentVersion: null });
      await prune(sql, [accountId]);
    });
  }

  /** A logo's PNG by its hash; `null` if the account does not have it. */
  async logoPng(accountId: string, sha256: string): Promise<Uint8Array | null> {
    const logo = await this.deps.db.em().findOne(StoredLogo, { accountId, sha256 }, { fields: ['png'] });
    return logo?.png ?? null;
  }

  /**
   * Returns a JPEG of the logo as it will look, drawn by the filter that burns it in: over the poster of a video, or
   * over a neutral card if no video is named or it has no poster.
   *
   * @throws INVALID_INPUT, BRAND_MISSING, VIDEO_NOT_FOUND, RATE_LIMIT_EXCEEDED, SERVICE_UNAVAILABLE
   */
  async preview(accountId: string, placement: BrandPlacement, videoId: string | null): Promise<Uint8Array> {
    const checked = checkedPlacement(placement);

    const [row] = await execute(this.deps.db.sql, statements.CURRENT_WITH_PNG, { accountId });
    if (!row) throw brandMissing();
    return this.draw(accountId, async (tools) => {
      const still = videoId === null ? null : await this.stillOf(accountId, videoId);
      try {
        return await tools.drawBrand({ ...brandOf(row), ...checked }, still);
      } finally {
        // If it was not read, it would keep a connection to the store open.
        still?.close();
      }
    });
  }

  /**
   * Deletes versions and logos that nothing can use any more, of the accounts of videos that were deleted for good since the
   * last run. Everything else that ends the use of one deletes it itself. @returns how many
   */
  async prune(signal?: AbortSignal): Promise<number> {
    const { sql } = this.deps.db;
    let pruned = 0;
    for (let after = startOf(this.prunedUntil); ;) {
      const page = await execute(sql, statements.GONE, after);
      const last = page.at(-1);
      if (last === undefined) return pruned;
      pruned += await prune(sql, [...new Set(page.map((row) => row.account_id))]);
      after = { afterDeletedAt: last.deleted_at, afterId: last.id };
      this.prunedUntil = new Date(last.deleted_at);
      if (page.length < statements.GONE_BATCH) return pruned;
      signal?.throwIfAborted();
    }
  }

  private async stillOf(accountId: string, videoId: string): Promise<(BrandStill & { close: () => void }) | null> {
    const { db, media, store } = this.deps;
    const video = await db.em().findOne(Video, { accountId, id: videoId, deletedAt: null });
    if (!video) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    const { posterPath, width, height } = video;
    const token = /([^/]+)\.jpg$/.exec(posterPath ?? '')?.[1];
    if (token === undefined || width == null || height == null) return null;
    const key = await media.posterKey(accountId, videoId, token);
    const poster = key === null ? null : await store.get(key);
    return poster && { jpeg: inTime(poster.body), width, height, close: () => poster.body.destroy() };
  }

  private async draw<T>(accountId: string, work: (tools: LogoTools) => Promise<T>): Promise<T> {
    try {
      return await this.turns.take(accountId, () => work(this.deps.tools));
    } catch (error) {
      throw errorOf(error);
    }
  }

  private change(
    accountId: string,
    change: (sql: Sql, before: CurrentBrand | null) => Promise<void>,
  ): Promise<CurrentBrand> {
    return this.deps.db.transaction(async ({ sql }) => {
      await execute(sql, statements.LOCK, { accountId });
      await change(sql, await currentOf(sql, accountId));
      await prune(sql, [accountId]);
      const brand = await currentOf(sql, accountId);
      if (!brand) throw new Error('the new version is not the current one');
      return brand;
    });
  }
}

export function logoTooLarge(): AppError {
  return new AppError('FILE_TOO_LARGE', 'A logo can have at most 1 MB.');
}

async function currentOf(sql: Sql, accountId: string): Promise<CurrentBrand | null> {
  const [row] = await execute(sql, statements.CURRENT, { accountId });
  if (!row) return null;
  return {
    version: row.version,
    sha256: row.sha256,
    logoWidth: row.width,
    logoHeight: row.height,
    position: row.position,
    widthPercent: row.width_percent,
    marginPercent: row.margin_percent,
    opacityPercent: row.opacity_percent,
    createdAt: new Date(row.created_at),
  };
}

async function keepLogo(sql: Sql, accountId: string, { png, width, height }: BrandLogo): Promise<string> {
  const sha256 = createHash('sha256').update(png).digest('hex');
  await execute(sql, statements.KEEP_LOGO, { accountId, sha256, png, width, height });
  return sha256;
}

async function addVersion(sql: Sql, accountId: string, sha256: string, placement: BrandPlacement): Promise<void> {
  const { position, widthPercent, marginPercent, opacityPercent } = placement;

  await execute(sql, statements.ADD_VERSION, {
    accountId,
    sha256,
    position,
    widthPercent,
    marginPercent,
    opacityPercent,
  });
}

/** A deletion is seen once it commits, which may be later than its time. */
function startOf(prunedUntil: Date | null): statements.AfterGone {
  const afterDeletedAt = prunedUntil && new Date(prunedUntil.getTime() - LONGEST_DELETION_MS).toISOString();
  return { afterDeletedAt: afterDeletedAt ?? '-infinity', afterId: LOWEST_ID };
}

async function prune(sql: Sql, accountIds: readonly string[]): Promise<number> {
  const versions = await execute(sql, statements.PRUNE_VERSIONS, { accountIds });
  const logos = await execute(sql, statements.PRUNE_LOGOS, { accountIds });
  return versions.length + logos.length;
}

function errorOf(error: unknown): unknown {
  if (error instanceof UnusableLogoError) return new AppError('INVALID_INPUT', error.message, { cause: error });
  if (error instanceof TranscoderUnavailableError) {
    return new AppError('SERVICE_UNAVAILABLE', 'Logos can’t be rendered right now.', { cause: error });
  }
  return error;
}
