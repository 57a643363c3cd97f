import type { Caption as CaptionTrack } from '../../../domain/media/captions/caption.service.js';
import type { Chapter as ChapterEntity } from '../../../domain/media/captions/chapters.js';
import { videoIdOf } from '../../../domain/shared/ids.js';
import { sourceQuality } from '../../../domain/media/pipeline/ladder.js';
import type { Processing as ProcessingEntity } from '../../../domain/media/pipeline/processing.entity.js';
import type { Rendition as RenditionEntity } from '../../../domain/media/library/rendition.entity.js';
import type { Video as VideoEntity } from '../../../domain/media/library/video.entity.js';
import type { VideoConnectionPage } from '../../../domain/media/library/videoConnection.js';
import type { OpenUpload } from '../../../domain/media/library/videoParts.js';
import { isHdr, type SourceProbe } from '../../../ports/transcoder.js';
import type { Caption, CaptionOrigin, Chapter } from '../types/caption.js';
import type { Quality, RenditionQuality } from '../types/enums.js';
import type { Processing, Rendition, Upload, Video, VideoConnection } from '../types/video.js';
import { connectionView } from './connectionView.js';

/** All fields except those that `VideoFieldsResolver` reads from other tables. */
export function videoView(video: VideoEntity): Video {
  const probe = (video.sourceProbe ?? null) as SourceProbe | null;
  return {
    accountId: video.accountId,
    id: videoIdOf(video.id),
    uuid: video.id,
    attempt: video.attempt,
    title: video.title,
    description: video.description,
    status: video.status,
    quality: video.quality as Quality | null,
    addons: { branding: video.branding, encryption: video.encryption },
    normalizeLoudness: video.normalizeLoudness,
    autoProcess: video.autoProcess,
    measured: probe !== null && video.durationMs != null,
    sourceQuality: probe && sourceQuality(probe),
    durationSeconds: video.durationMs == null ? null : Number(video.durationMs) / 1000,
    width: video.width ?? null,
    height: video.height ?? null,
    sizeBytes: video.sizeBytes == null ? null : Number(video.sizeBytes),
    tags: video.tags,
    metadata: Object.entries(video.metadata).map(([key, value]) => ({ key, value })),
    thumbnailUrl: video.posterPath == null ? null : `/${video.posterPath}`,
    posterChosen: video.posterKey != null,
    previewUrl: video.previewPath == null ? null : `/${video.previewPath}`,
    chapters: video.chapters.map(chapterView),
    pictureSubtitles: probe?.pictureSubtitles ?? 0,
    isHdr: probe?.video != null && isHdr(probe.video),
    playableRungs: video.playableRungs as RenditionQuality[],
    failure:
      video.failureCode == null ? null : { code: video.failureCode, message: video.failureMessage ?? 'It failed.' },
    createdAt: video.createdAt,
    updatedAt: video.updatedAt,
    readyAt: video.readyAt ?? null,
  };
}

export function videoConnectionView(page: VideoConnectionPage): VideoConnection {
  const edges = page.edges.map(({ cursor, node }) => ({ cursor, node: videoView(node) }));
  return { ...connectionView(edges, page.hasNextPage), totalCount: page.totalCount };
}

function chapterView({ startMs, title, origin }: ChapterEntity): Chapter {
  return { startSeconds: startMs / 1000, title, origin: (origin ?? null) as CaptionOrigin | null };
}

export function captionView(caption: CaptionTrack): Caption {
  return { ...caption, origin: caption.origin as CaptionOrigin };
}

export function renditionView(rendition: RenditionEntity): Rendition {
  return {
    quality: rendition.quality as RenditionQuality,
    track: rendition.track,
    language: rendition.language ?? null,
    label: rendition.label ?? null,
    isDescription: rendition.isDescription,
    width: rendition.width ?? null,
    height: rendition.height ?? null,
    bitrate: rendition.bitrate,
    codecs: rendition.codecs,
    sizeBytes: Number(rendition.sizeBytes),
    receipt: rendition.receipt ?? null,
  };
}

export function processingView(processing: ProcessingEntity): Processing {
  return {
    attempt: processing.attempt,
    state: processing.state,
    quality: processing.quality as Quality,
    step: processing.step ?? null,
    percent: processing.percent,
    etaSeconds: processing.etaSeconds ?? null,
    speed: processing.speed ?? null,
    brandVersion: processing.brandVersion ?? null,
    price: processing.priceMicros,
    queuedAt: processing.queuedAt,
    startedAt: processing.startedAt ?? null,
    finishedAt: processing.finishedAt ?? null,
  };
}

export function uploadView(upload: OpenUpload): Upload {
  return {
    id: upload.uploadId,
    url: `/uploads/${upload.uploadId}`,
    sizeBytes: upload.sizeBytes,
    expiresAt: upload.expiresAt,
  };
}
