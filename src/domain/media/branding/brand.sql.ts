import type { BrandPosition } from '../../../ports/brand.js';
import { statement } from '../../../db/sql.js';
import { NOW_ONCE } from '../../shared/clock/now.js';
import { keepsFiles } from '../objects/storedObject.sql.js';

export interface BrandRow {
  readonly version: number;
  readonly position: BrandPosition;
  readonly width_percent: number;
  readonly margin_percent: number;
  readonly opacity_percent: number;
  readonly created_at: string;
  readonly sha256: string;
  readonly width: number;
  readonly height: number;
}

/*
 * Every change of an account's branding first locks its row of `brand`, and so does a purchase that takes the current
 * version. So a version that a purchase is about to name is never deleted.
 */

const FACTS = `
  v.version, v.position, v.width_percent, v.margin_percent, v.opacity_percent, v.created_at,
  l.sha256, l.width, l.height`;

const WITH_LOGO = `brand_version v join brand_logo l on l.account_id = v.account_id and l.sha256 = v.logo_sha256`;

export const CURRENT = statement<{ accountId: string }, BrandRow>(
  'brand-current',
  `
    select ${FACTS} from brand b
    join ${WITH_LOGO} on v.account_id = b.account_id and v.version = b.current_version
    where b.account_id = :accountId`,
);

export const CURRENT_WITH_PNG = statement<{ accountId: string }, BrandRow & { png: Buffer }>(
  'brand-current-png',
  `
    select ${FACTS}, l.png from brand b
    join ${WITH_LOGO} on v.account_id = b.account_id and v.version = b.current_version
    where b.account_id = :accountId`,
);

/** Creates the row if there is none, so that the first change locks like any other. */
export const LOCK = statement<{ accountId: string }>(
  'brand-lock',
  `
    insert into brand (account_id, current_version, last_version) values (:accountId, null, 0)
    on conflict (account_id) do update set last_version = brand.last_version`,
);

/** Locks a logo that already exists, so that nothing prunes it meanwhile. */
export const KEEP_LOGO = statement<{
  accountId: string;
  sha256: string;
  png: Uint8Array;
  width: number;
  height: number;
}>(
  'brand-keep-logo',
  `
    insert into brand_logo (account_id, sha256, png, width, height, created_at)
    values (:accountId, :sha256, :png, :width, :height, service_now())
    on conflict (account_id, sha256) do update set created_at = brand_logo.created_at`,
);

/** Makes the new version the current one. */
export const ADD_VERSION = statement<{
  accountId: string;
  sha256: string;
  position: string;
  widthPercent: number;
  marginPercent: number;
  opacityPercent: number;
}>(
  'brand-add-version',
  `
    with added as (
      insert into brand_version
        (account_id, version, logo_sha256, position, width_percent, margin_percent, opacity_percent, created_at)
      select account_id, last_version + 1, :sha256, :position, :widthPercent, :marginPercent, :opacityPercent, service_now() from brand where account_id = :accountId
      returning account_id, version
    )
    update brand b set current_version = added.version, last_version = added.version
    from added where b.account_id = added.account_id`,
);

/** Where a walk of `GONE` continues. */
export interface AfterGone {
  readonly afterDeletedAt: string;
  readonly afterId: string;
}

export const GONE_BATCH = 1_000;

/**
 * Bought videos that were deleted for good within two months: after that, their account may have versions that nothing
 * names.
 */
export const GONE = statement<AfterGone, { account_id: string; deleted_at: string; id: string }>(
  'brand-gone',
  `
    select account_id, deleted_at, id from video
    where deleted_at is not null and deleted_at > ${NOW_ONCE} - interval '60 days' and purge_after is null and attempt > 0
      and not is_test
      and (deleted_at, id) > (:afterDeletedAt::timestamptz, :afterId::uuid)
    order by deleted_at, id limit ${GONE_BATCH}`,
);

/**
 * Deletes versions that are neither current nor named by a purchase of a video that exists or is in the bin. A purchase in
 * progress names the current version, which is not deleted before it commits.
 */
export const PRUNE_VERSIONS = statement<{ accountIds: readonly string[] }>(
  'brand-prune-versions',
  `
    delete from brand_version v
    where v.account_id = any (:accountIds::uuid[])
      and not exists (select from brand b where b.account_id = v.account_id and b.current_version = v.version)
      and not exists (
        select from processing p join video f on f.account_id = p.account_id and f.id = p.video_id
        where p.account_id = v.account_id and p.brand_version = v.version
          and ${keepsFiles('f')})
    returning 1 as pruned`,
);

export const PRUNE_LOGOS = statement<{ accountIds: readonly string[] }>(
  'brand-prune-logos',
  `
    delete from brand_logo l
    where l.account_id = any (:accountIds::uuid[])
      and not exists (select from brand_version v where v.account_id = l.account_id and v.logo_sha256 = l.sha256)
    returning 1 as pruned`,
);

export const OF_ATTEMPT = statement<
  { accountId: string; videoId: string; attempt: number },
  BrandRow & { png: Buffer }
>(
  'brand-of-attempt',
  `
    select ${FACTS}, l.png from processing p
    join ${WITH_LOGO} on v.account_id = p.account_id and v.version = p.brand_version
    where p.account_id = :accountId and p.video_id = :videoId and p.attempt = :attempt`,
);
