import type { Statement } from '../../../db/sql.js';

/* `$1 account` throughout. Whatever changes an account's branding locks its row of `brand` first, and so does a
   purchase that takes the current version: a version that is about to be named by a purchase is never deleted. */

const FACTS = `
  v.version, v.position, v.width_percent, v.margin_percent, v.opacity_percent, v.created_at,
  l.sha256, l.width, l.height`;

const WITH_LOGO = `brand_version v join brand_logo l on l.account_id = v.account_id and l.sha256 = v.logo_sha256`;

export const CURRENT: Statement = {
  name: 'brand-current',
  text: `
    select ${FACTS} from brand b
    join ${WITH_LOGO} on v.account_id = b.account_id and v.version = b.current_version
    where b.account_id = $1`,
};

export const CURRENT_WITH_PNG: Statement = {
  name: 'brand-current-png',
  text: `
    select ${FACTS}, l.png from brand b
    join ${WITH_LOGO} on v.account_id = b.account_id and v.version = b.current_version
    where b.account_id = $1`,
};

/** Makes the row where there is none: whoever comes first is waited for like anybody else. */
export const LOCK: Statement = {
  name: 'brand-lock',
  text: `
    insert into brand (account_id, current_version, last_version) values ($1, null, 0)
    on conflict (account_id) do update set last_version = brand.last_version`,
};

/** One that is there already is locked, so that nothing prunes it meanwhile. */
export const KEEP_LOGO: Statement = {
  name: 'brand-keep-logo',
  text: `
    insert into brand_logo (account_id, sha256, png, width, height, created_at)
    values ($1, $2, $3, $4, $5, service_now())
    on conflict (account_id, sha256) do update set created_at = brand_logo.created_at`,
};

/** `$2` logo, `$3` position, `$4` width, `$5` margin, `$6` opacity. The new version is the current one. */
export const ADD_VERSION: Statement = {
  name: 'brand-add-version',
  text: `
    with added as (
      insert into brand_version
        (account_id, version, logo_sha256, position, width_percent, margin_percent, opacity_percent, created_at)
      select account_id, last_version + 1, $2, $3, $4, $5, $6, service_now() from brand where account_id = $1
      returning account_id, version
    )
    update brand b set current_version = added.version, last_version = added.version
    from added where b.account_id = added.account_id`,
};

export const CLEAR_CURRENT: Statement = {
  name: 'brand-clear-current',
  text: 'update brand set current_version = null where account_id = $1',
};

/** `$2` sha256. */
export const LOGO_PNG: Statement = {
  name: 'brand-logo-png',
  text: 'select png from brand_logo where account_id = $1 and sha256 = $2',
};

/**
 * Versions that are neither current nor named by a purchase whose video still is; `$1` null for those of all accounts. A
 * purchase that is being made names the current one, which is not deleted before it has committed.
 */
export const PRUNE_VERSIONS: Statement = {
  name: 'brand-prune-versions',
  text: `
    delete from brand_version v
    where ($1::uuid is null or v.account_id = $1)
      and not exists (select from brand b where b.account_id = v.account_id and b.current_version = v.version)
      and not exists (
        select from processing p join video f on f.account_id = p.account_id and f.id = p.video_id
        where p.account_id = v.account_id and p.brand_version = v.version and f.deleted_at is null)
    returning 1 as pruned`,
};

export const PRUNE_LOGOS: Statement = {
  name: 'brand-prune-logos',
  text: `
    delete from brand_logo l
    where ($1::uuid is null or l.account_id = $1)
      and not exists (select from brand_version v where v.account_id = l.account_id and v.logo_sha256 = l.sha256)
    returning 1 as pruned`,
};

/** The current version, kept from being replaced until the purchase that names it has committed. */
export const PIN: Statement = {
  name: 'brand-pin',
  text: 'select current_version from brand where account_id = $1 and current_version is not null for share',
};

/** `$2` video, `$3` attempt. */
export const OF_ATTEMPT: Statement = {
  name: 'brand-of-attempt',
  text: `
    select ${FACTS}, l.png from processing p
    join ${WITH_LOGO} on v.account_id = p.account_id and v.version = p.brand_version
    where p.account_id = $1 and p.video_id = $2 and p.attempt = $3`,
};

/** `$2` video. */
export const POSTER: Statement = {
  name: 'brand-preview-poster',
  text: `
    select poster_path, width, height from video
    where account_id = $1 and id = $2 and deleted_at is null`,
};
