import { performance } from 'node:perf_hooks';

import { execute, type Sql, statement } from '../../../db/sql.js';
import { toAppError } from '../../../errors.js';
import { movedSecondsOf } from '../../accounts/testMode/testFacts.js';
import type { RenditionQuality } from '../../../ports/transcoder.js';
import { SharedReads } from '../../shared/sharedReads.js';
import { SizedLru } from '../../shared/sizedLru.js';
import type { TrickPlay } from './video.entity.js';

/** What may be played of a video, and by whom. */
export interface PublishedVideo {
  /** Whether its account is suspended. */
  readonly isSuspended: boolean;
  /** By how many seconds the clock of its test account was moved; 0 in live mode. */
  readonly movedSeconds: number;
  /** Empty for every site. */
  readonly allowedDomains: readonly string[];
  /** Object-store prefix of the run that made the pictures. */
  readonly picturesPrefix: string | null;
  readonly hasStoryboard: boolean;
  readonly trickPlay: TrickPlay | null;
  /** The playable renditions; empty before there is one. */
  readonly renditions: readonly {
    readonly quality: RenditionQuality;
    readonly prefix: string;
    readonly path: string;
    readonly bitrate: number;
    readonly averageBitrate: number;
    readonly codecs: string;
    readonly width: number | null;
    readonly height: number | null;
    readonly frameRate: number | null;
    readonly track: number;
    readonly language: string;
    readonly label: string;
    readonly isDescription: boolean;
    readonly keyFrameBitrate: number | null;
    readonly keyFrameAverageBitrate: number | null;
  }[];
  readonly captions: readonly {
    readonly id: string;
    readonly language: string;
    readonly label: string;
    readonly isForced: boolean;
    readonly isSdh: boolean;
  }[];
}

/**
 * An unchanged video always gives the same text, hence the orders. Looks rows up one by one, so that the plan does not
 * depend on statistics.
 */
const PUBLISHED = statement<
  { accountIds: readonly string[]; videoIds: readonly string[] },
  { n: number; video: string }
>(
  'published-videos',
  `
    select w.n::integer, json_build_object(
      'isSuspended', a.suspended_at is not null, 'movedSeconds', ${movedSecondsOf('a.id')}, 'allowedDomains', a.allowed_domains,
      'picturesPrefix', v.pictures_prefix, 'hasStoryboard', v.storyboard_path is not null,
      'trickPlay', v.trick_play,
      'renditions', coalesce((
        select json_agg(json_build_object(
            'quality', r.quality, 'prefix', r.prefix, 'path', r.path, 'bitrate', r.bitrate,
            'averageBitrate', r.average_bitrate, 'codecs', r.codecs, 'width', r.width, 'height', r.height,
            'frameRate', r.frame_rate, 'track', r.track, 'language', coalesce(r.language, 'und'),
            'label', coalesce(r.label, 'Main'), 'isDescription', r.is_description,
            'keyFrameBitrate', r.key_frame_bitrate, 'keyFrameAverageBitrate', r.key_frame_average_bitrate)
          order by r.quality, r.track, r.path)
        from rendition r
        where r.account_id = v.account_id and r.video_id = v.id and r.quality = any (v.playable_rungs)), '[]'),
      'captions', coalesce((
        select json_agg(json_build_object('id', c.id, 'language', c.language, 'label', c.label,
            'isForced', c.is_forced, 'isSdh', c.is_sdh)
          order by c.created_at, c.label)
        from caption c where c.account_id = v.account_id and c.video_id = v.id), '[]'))::text as video
    from unnest(:accountIds::uuid[], :videoIds::uuid[]) with ordinality w(account_id, video_id, n)
    cross join lateral (select * from account where id = w.account_id offset 0) a
    cross join lateral (
      select * from video where account_id = w.account_id and id = w.video_id and deleted_at is null offset 0
    ) v`,
);

/** The maximum age of a cached response. Deleted or suspended videos are refused everywhere within twice this time. */
const MAX_AGE_MS = 1_000;
/** The share of that age after which a response in use is read again. */
const READ_AHEAD_SHARE = 0.75;
/** How long a player that already has its grant waits for the confirmation that it is still valid. */
const MAX_WAIT_MS = 500;
/** Of the whole cache. A video with all renditions has 4,000; its parsed form takes twice as much again. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

export interface PublishedVideosOptions {
  readonly maxAgeMs?: number;
  readonly monotonicMs?: () => number;
}

interface Known {
  /** `null` if the video does not exist, or no longer does. */
  readonly video: PublishedVideo | null;
  readonly text: string;
  /** When it was requested. It includes everything committed before. */
  readonly askedAtMs: number;
  /** Whether it is being read again, or was, before it is too old. */
  isReadAhead: boolean;
}

interface Reading {
  readonly askedAtMs: number;
  readonly video: Promise<PublishedVideo | null>;
}

interface VideoRef {
  readonly accountId: string;
  /** UUID */
  readonly videoId: string;
}

/**
 * What may be played, at most a second old: each player requests a playlist or segment every few seconds, and the
 * response hardly ever changes. Read again at once after a notice about the video, and after a second without one,
 * because notices can be lost and accounts send none.
 */
export class PublishedVideos {
  private readonly answers = new SizedLru<Known>(MAX_CHARACTERS);
  private readonly readings = new Map<string, Reading>();
  private readonly reads: SharedReads<VideoRef, string | null>;
  private readonly maxAgeMs: number;
  private readonly nowMs: () => number;
  /** Until this time, nobody waits for a database that does not respond. */
  private awayUntilMs = -Infinity;

  constructor(
    private readonly sql: Sql,
    { maxAgeMs = MAX_AGE_MS, monotonicMs = () => performance.now() }: PublishedVideosOptions = {},
  ) {
    this.maxAgeMs = maxAgeMs;
    this.nowMs = monotonicMs;
    this.reads = new SharedReads((refs) => this.ask(refs));
  }

  /**
   * The cached video if it is young enough; `undefined` if it must be read, `null` if the video does not exist. An entry
   * that will soon be too old is read again meanwhile, so that requests for a busy video do not wait every second.
   */
  known(ref: VideoRef): PublishedVideo | null | undefined {
    const name = nameOf(ref);
    const known = this.answers.get(name);
    if (known === undefined) return undefined;
    const ageMs = this.nowMs() - known.askedAtMs;
    if (ageMs >= this.maxAgeMs) return undefined;
    if (ageMs >= this.maxAgeMs * READ_AHEAD_SHARE && !known.isReadAhead) {
      known.isReadAhead = true;
      // If it fails, the next request after the maximum age reads it.
      this.read(name, ref, known.askedAtMs).catch(() => undefined);
    }
    return known.video;
  }

  /** Returns `null` if the video does not exist. @throws SERVICE_UNAVAILABLE */
  async find(ref: VideoRef): Promise<PublishedVideo | null> {
    const known = this.known(ref);
    return known === undefined ? this.read(nameOf(ref), ref, this.nowMs() - this.maxAgeMs) : known;
  }

  /**
   * Like `find`, for playback that has begun. While the database does not respond, nothing can be deleted or suspended
   * either, so the last known state is used, and `unknown` is not a refusal.
   */
  async findToContinue(ref: VideoRef): Promise<PublishedVideo | null | 'unknown'> {
    const known = this.known(ref);
    if (known !== undefined) return known;
    const name = nameOf(ref);
    const nowMs = this.nowMs();
    const before = this.answers.get(name);
    const reading = this.read(name, ref, nowMs - this.maxAgeMs);
    const last = before ? before.video : 'unknown';
    if (nowMs < this.awayUntilMs) {
      reading.catch(() => undefined);
      return last;
    }
    return this.orLast(reading, last);
  }

  /** Drops the cached video and any read in progress, so that later requests never get the state before the change. */
  changed(ref: VideoRef): void {
    const name = nameOf(ref);
    this.answers.delete(name);
    this.readings.delete(name);
  }

  private async orLast<Last>(
    reading: Promise<PublishedVideo | null>,
    last: Last,
  ): Promise<PublishedVideo | null | Last> {
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(resolve, MAX_WAIT_MS, 'late');
    try {
      const found = await Promise.race([reading, late]);
      if (found !== 'late') return found;
    } catch (error) {
      if (toAppError(error).code !== 'SERVICE_UNAVAILABLE') throw error;
    } finally {
      clearTimeout(timer);
    }
    reading.catch(() => undefined);
    this.awayUntilMs = this.nowMs() + MAX_AGE_MS;
    return last;
  }

  /** @param oldestMs a read that began earlier may have missed later commits */
  private read(name: string, ref: VideoRef, oldestMs: number): Promise<PublishedVideo | null> {
    const under = this.readings.get(name);
    if (under && under.askedAtMs > oldestMs) return under.video;
    const askedAtMs = this.nowMs();
    const video = this.reads
      .read(ref)
      .then((text) => this.learn(name, reading, text))
      .finally(() => {
        if (this.readings.get(name) === reading) this.readings.delete(name);
      });
    const reading: Reading = { askedAtMs, video };
    this.readings.set(name, reading);
    return video;
  }

  private learn(name: string, reading: Reading, text: string | null): PublishedVideo | null {
    const before = this.answers.get(name);
    const isSame = before !== undefined && before.text === (text ?? '');
    const video = isSame ? before.video : text === null ? null : (JSON.parse(text) as PublishedVideo);
    // A notice or a newer read has replaced this one.
    if (this.readings.get(name) === reading) {
      const known = { video, text: text ?? '', askedAtMs: reading.askedAtMs, isReadAhead: false };
      this.answers.set(name, known, name.length + known.text.length + ENTRY_CHARACTERS);
      this.awayUntilMs = -Infinity;
    }
    return video;
  }

  private async ask(refs: readonly VideoRef[]): Promise<(string | null)[]> {
    const rows = await execute(this.sql, PUBLISHED, {
      accountIds: refs.map(({ accountId }) => accountId),
      videoIds: refs.map(({ videoId }) => videoId),
    });
    const byPlace = new Map(rows.map(({ n, video }) => [n, video]));
    return refs.map((_, nth) => byPlace.get(nth + 1) ?? null);
  }
}

/** The overhead of an entry besides its text and the parsed text. */
const ENTRY_CHARACTERS = 500;

function nameOf({ accountId, videoId }: VideoRef): string {
  return `${accountId}/${videoId}`;
}
