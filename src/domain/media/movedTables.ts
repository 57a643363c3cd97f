import { statement } from '../../db/sql.js';
import { movedTable } from '../shared/movedTable.js';
import { IN_GROUP } from './objects/remeasure.sql.js';

/** Videos without a file and those in the bin stay behind. */
const MOVES = (video: string): string =>
  `${video}.deleted_at is null and ${video}.status not in ('awaiting_upload', 'uploading')`;
/**
 * What is bought and not finished arrives as it was before the purchase, and its credits, which are in escrow, move with
 * the balance.
 */
const IN_PROGRESS = (video: string): string => `${video}.status in ('queued', 'processing')`;

const unlessInProgress = (column: string, otherwise: string): string =>
  `case when ${IN_PROGRESS('t')} then ${otherwise} else t.${column} end`;

/** For a row `t` of another table. */
const ofMovedVideo = (condition = 'true'): string => `exists (
  select from video v where v.account_id = t.account_id and v.id = t.video_id and ${MOVES('v')} and ${condition})`;
const OF_MADE_VIDEO = ofMovedVideo(`not ${IN_PROGRESS('v')}`);
const ONLY_SOURCE_IN_PROGRESS = ofMovedVideo(`(not ${IN_PROGRESS('v')} or starts_with(t.key, 'sources/'))`);

const MADE_COLUMNS = [
  'pictures_prefix',
  'poster_path',
  'poster_key',
  'preview_path',
  'storyboard_path',
  'trick_play',
  'failure_code',
  'failure_message',
  'ready_at',
] as const;

export const MOVED_VIDEOS = movedTable('video', {
  columns: [
    'id',
    'title',
    'description',
    'tags',
    'metadata',
    'quality',
    'branding',
    'encryption',
    'normalize_loudness',
    'duration_ms',
    'width',
    'height',
    'size_bytes',
    'source_key',
    'source_probe',
    'attempt',
    'chapters',
    'created_at',
    'updated_at',
    'deletions',
    'texts_taken_at',
  ],
  leavingAs: {
    status: unlessInProgress('status', `'uploaded'`),
    playable_rungs: unlessInProgress('playable_rungs', `'{}'::text[]`),
    ...Object.fromEntries(MADE_COLUMNS.map((column) => [column, unlessInProgress(column, 'null')])),
  },
  // Nothing is bought by itself because an account has moved.
  arrivingAs: {
    auto_process: 'false',
    deleted_at: 'null',
    purge_after: 'null',
    measure_runs: '0',
    measuring_since: 'null',
    is_test: 'false',
  },
  where: MOVES('t'),
});

export const MOVED_RENDITIONS = movedTable('rendition', {
  columns: [
    'video_id',
    'quality',
    'track',
    'language',
    'label',
    'is_description',
    'width',
    'height',
    'bitrate',
    'average_bitrate',
    'codecs',
    'frame_rate',
    'size_bytes',
    'prefix',
    'path',
    'key_frame_bitrate',
    'key_frame_average_bitrate',
    'receipt',
  ],
  where: OF_MADE_VIDEO,
});

/** Storage is charged from the arrival on. */
export const MOVED_STORED_OBJECTS = movedTable('stored_object', {
  columns: ['key', 'generation', 'video_id', 'size_bytes'],
  arrivingAs: { stored_at: 'service_now()', removed_at: 'null', swept_at: 'null' },
  where: `t.removed_at is null and ${ONLY_SOURCE_IN_PROGRESS}`,
});

export const MOVED_CAPTIONS = movedTable('caption', {
  columns: ['video_id', 'id', 'language', 'label', 'origin', 'vtt', 'size_bytes', 'created_at', 'is_forced', 'is_sdh'],
  where: ofMovedVideo(),
  rowsPerPage: 20,
});

export const MOVED_MEDIA_KEYS = movedTable('media_key', {
  columns: ['video_id', 'attempt', 'run', 'key_index', 'master_key_id', 'sealed', 'created_at'],
  where: OF_MADE_VIDEO,
});

/** Only what the next purchase would use. */
const IS_CURRENT_VERSION = `exists (
  select from brand b where b.account_id = t.account_id and b.current_version = t.version)`;
const IS_CURRENT_LOGO = `exists (
  select from brand b join brand_version n on n.account_id = b.account_id and n.version = b.current_version
  where b.account_id = t.account_id and n.logo_sha256 = t.sha256)`;

export const MOVED_LOGOS = movedTable('brand_logo', {
  columns: ['sha256', 'png', 'width', 'height', 'created_at'],
  where: IS_CURRENT_LOGO,
  rowsPerPage: 20,
});

export const MOVED_BRAND_VERSIONS = movedTable('brand_version', {
  columns: ['version', 'logo_sha256', 'position', 'width_percent', 'margin_percent', 'opacity_percent', 'created_at'],
  where: IS_CURRENT_VERSION,
});

export const MOVED_BRAND = movedTable('brand', { columns: ['current_version', 'last_version'] });

/**
 * Opens the cursor `moved` over what moves of the store, in order: keys of single objects, and prefixes of runs, which
 * end with a slash.
 */
export const OPEN_MOVED_GROUPS = statement<{ accountId: string }>(
  'moved-open-groups',
  `
    declare moved no scroll cursor for
    select distinct coalesce(substring(t.key from '^videos/[^/]+/[^/]+/[^/]+/'), t.key) collate "C" as line
    from stored_object t
    where t.account_id = :accountId::uuid and t.removed_at is null and ${ONLY_SOURCE_IN_PROGRESS}
    order by line`,
);

/** A row, if something of the group is still stored. */
export const LIVE_GROUP = statement<{ accountId: string; group: string }, { live: number }>(
  'moved-live-group',
  `select 1 as live from stored_object where ${IN_GROUP} and removed_at is null limit 1`,
);

/**
 * Places in the store that do not belong to their own video, of rows that have arrived: with them, an account would play
 * and delete the files of another.
 */
export const FOREIGN_PLACES = statement<{ accountId: string }, { place: string }>(
  'moved-foreign-places',
  `
    select place from (
      select v.id as video_id, unnest(array[v.source_key, v.poster_key, v.pictures_prefix]) as place
      from video v where v.account_id = :accountId::uuid
      union all
      select o.video_id, o.key from stored_object o where o.account_id = :accountId::uuid
      union all
      select r.video_id, r.prefix from rendition r where r.account_id = :accountId::uuid
    ) named
    where place is not null and (video_id is null or place !~ ('^(sources|videos|posters)/' || :accountId::uuid || '/' || video_id || '/[A-Za-z0-9_-]')
      or place ~ '(^|/)[.]')
    limit 1`,
);
