import { type Database, execute, statement } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { QUALITIES, type Quality, type SourceProbe } from '../../../ports/transcoder.js';
import { brandMissing } from '../branding/purchasedBrand.js';
import { idOf } from '../../shared/ids.js';
import { drawsFromMaster } from '../../ledger/automaticAllocation.js';
import { balanceOf } from '../../ledger/ledgerAccounts.js';
import { capQuality, renditionsFor, sourceQuality } from './ladder.js';
import { priceOf, type Addon, type QuoteLine } from '../../ledger/prices.js';

/** An owner's choice. */
export interface ProcessingChoice {
  readonly quality: Quality;
  readonly branding: boolean;
  readonly encryption: boolean;
  /** Normalizes loudness; free. */
  readonly normalizeLoudness?: boolean;
}

/** A price that binds until it expires. `quality` is what will be made: never more than the source holds. */
export interface BindingQuote {
  readonly id: string;
  readonly videoId: string;
  readonly quality: Quality;
  readonly addons: { readonly branding: boolean; readonly encryption: boolean };
  readonly durationMs: bigint;
  readonly lines: readonly QuoteLine[];
  readonly totalMicros: bigint;
  /** What MASTER would add, because CREATIVE alone is too small. */
  readonly fromMasterMicros: bigint;
  /** Credits missing in CREATIVE, together with MASTER if it may draw from it; zero if it can be processed. */
  readonly missingMicros: bigint;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

interface MeasuredVideo {
  readonly status: string;
  readonly attempt: number;
  readonly duration_ms: string | null;
  readonly source_probe: SourceProbe | null;
  readonly creative_micros: string;
  /** Zero if CREATIVE does not draw from MASTER. */
  readonly master_micros: string;
  readonly has_brand: boolean;
}

const FIND_MEASURED = statement<{ accountId: string; videoId: string }, MeasuredVideo>(
  'quote-find-video',
  `
    select v.status, v.attempt, v.duration_ms, v.source_probe,
      coalesce(${balanceOf(':accountId', 'CREATIVE')}, 0)::text as creative_micros,
      case when ${drawsFromMaster(':accountId', 'CREATIVE')} then coalesce(${balanceOf(':accountId', 'MASTER')}, 0)
        else 0 end::text as master_micros,
      exists (select from brand b where b.account_id = :accountId and b.current_version is not null) as has_brand
    from video v where v.account_id = :accountId and v.id = :videoId and v.deleted_at is null`,
);

interface QuoteRow {
  readonly accountId: string;
  readonly id: string;
  readonly videoId: string;
  readonly quality: Quality;
  readonly branding: boolean;
  readonly encryption: boolean;
  readonly durationMs: string;
  /** JSON */
  readonly lines: string;
  readonly totalMicros: string;
  readonly normalizeLoudness: boolean;
}

const INSERT_QUOTE = statement<QuoteRow, { created_at: string; expires_at: string }>(
  'quote-insert',
  // Repeated requests must not pile up rows: the same choice at the same price renews the same quote for another day,
  // and expired quotes that were never bought are deleted.
  `
    with outdated as (
      delete from quote q
      where q.account_id = :accountId and q.video_id = :videoId and q.expires_at < service_now() and q.id <> :id::uuid
        and not exists (select from processing p where p.account_id = :accountId and p.quote_id = q.id)
    )
    insert into quote (account_id, id, video_id, quality, branding, encryption, duration_ms, lines, total_micros,
      created_at, expires_at, normalize_loudness)
    select :accountId, :id, :videoId, :quality, :branding, :encryption, :durationMs, :lines, :totalMicros, t.now,
      t.now + interval '24 hours', :normalizeLoudness
    from (select service_now() as now) t
    on conflict (account_id, id) do update set expires_at = excluded.expires_at
    returning created_at, expires_at`,
);

/** Creates binding quotes for measured videos. */
export class QuoteService {
  constructor(private readonly db: Database) {}

  /**
   * Quotes the exact price of one video, valid for 24 hours. Asking again for the same renews the quote and keeps its
   * id.
   *
   * @throws VIDEO_NOT_FOUND; INVALID_STATE if it is not measured or already processed; INVALID_INPUT for audio of a
   *   silent video, or branding without a picture; BRAND_MISSING if there is no logo, unless it was bought before with
   *   `brandVersion`.
   */
  async create(
    accountId: string,
    videoId: string,
    choice: ProcessingChoice,
    { brandVersion = null }: { brandVersion?: number | null } = {},
  ): Promise<BindingQuote> {
    if (!QUALITIES.includes(choice.quality)) throw new AppError('INVALID_INPUT', 'Unknown quality.');
    const [video] = await execute(this.db.sql, FIND_MEASURED, { accountId, videoId });
    if (!video) throw new AppError('VIDEO_NOT_FOUND', 'Video not found.');
    const { probe, durationMs } = measuredSource(video);

    const quality = capQuality(choice.quality, sourceQuality(probe));
    if (renditionsFor(quality, probe).length === 0) {
      throw new AppError('INVALID_INPUT', 'This video has no audio track.');
    }
    if (choice.branding && quality === 'audio') {
      throw new AppError(
        'INVALID_INPUT',
        'This quality is audio only, so there is no picture for a logo. Leave branding out.',
      );
    }
    if (choice.branding && brandVersion === null && !video.has_brand) throw brandMissing();
    const { lines, totalMicros } = priceOf(durationMs, quality, addonsOf(choice));
    const { branding, encryption, normalizeLoudness = false } = choice;
    const price = totalMicros.toString();
    // A purchase moves the video to its next attempt, so the id of a bought quote never comes back.
    const facts = [videoId, video.attempt, quality, branding, encryption, normalizeLoudness, String(durationMs), price];
    const id = idOf('quote', accountId, ...facts);
    const [row] = await execute(this.db.sql, INSERT_QUOTE, {
      accountId,
      id,
      videoId,
      quality,
      branding,
      encryption,
      durationMs: durationMs.toString(),
      lines: JSON.stringify(lines),
      totalMicros: price,
      normalizeLoudness,
    });
    if (!row) throw new Error('the quote was not stored');
    const lackingMicros = notBelowZero(totalMicros - BigInt(video.creative_micros));
    const missingMicros = notBelowZero(lackingMicros - BigInt(video.master_micros));
    return {
      id,
      videoId,
      quality,
      addons: { branding, encryption },
      durationMs,
      lines,
      totalMicros,
      // A purchase is all or nothing: MASTER adds what CREATIVE lacks, or nothing.
      fromMasterMicros: missingMicros > 0n ? 0n : lackingMicros,
      missingMicros,
      createdAt: new Date(row.created_at),
      expiresAt: new Date(row.expires_at),
    };
  }
}

function notBelowZero(micros: bigint): bigint {
  return micros > 0n ? micros : 0n;
}

function addonsOf(choice: ProcessingChoice): Addon[] {
  return (['branding', 'encryption'] as const).filter((addon) => choice[addon]);
}

function measuredSource(video: MeasuredVideo): { probe: SourceProbe; durationMs: bigint } {
  const { status, source_probe: probe, duration_ms: durationMs } = video;
  if (status !== 'uploaded' && status !== 'failed') {
    throw new AppError('INVALID_STATE', `A video with status ${status} cannot be quoted.`, { details: { status } });
  }
  if (probe === null || durationMs === null) {
    throw new AppError(
      'INVALID_STATE',
      status === 'failed' ? 'Its file cannot be used. Please upload another.' : 'The upload is still being measured.',
      { details: { status } },
    );
  }
  return { probe, durationMs: BigInt(durationMs) };
}
