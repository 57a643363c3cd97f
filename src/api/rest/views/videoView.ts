import { videoIdOf } from '../../../domain/shared/ids.js';
import type { RenditionRow, VideoDetailRow } from '../../../domain/media/library/singleVideos.js';
import type { VideoRow } from '../../../domain/media/library/videoRow.js';
import type { Rendition, Video, VideoDetail } from '../schemas/video.js';

/** A video as lists show it. `publicUrl` has no trailing slash. */
export function videoView(row: VideoRow, publicUrl: string): Video {
  return {
    id: videoIdOf(row.id),
    uuid: row.id,
    title: row.title,
    description: row.description,
    status: row.status,
    quality: row.quality as Video['quality'],
    addons: { branding: row.branding, encryption: row.encryption },
    durationSeconds: row.duration_ms === null ? null : Number(row.duration_ms) / 1000,
    width: row.width,
    height: row.height,
    sizeBytes: row.size_bytes === null ? null : Number(row.size_bytes),
    tags: row.tags,
    metadata: row.metadata,
    thumbnailUrl: row.poster_path === null ? null : `${publicUrl}/${row.poster_path}`,
    createdAt: rfc3339(row.created_at),
    updatedAt: rfc3339(row.updated_at),
    readyAt: rfc3339OrNull(row.ready_at),
  };
}

/** A single video, with what can be played already. */
export function videoDetailView(row: VideoDetailRow, publicUrl: string): VideoDetail {
  const sounds = row.renditions.filter(({ quality }) => quality === 'audio').sort((a, b) => a.track - b.track);
  return {
    ...videoView(row, publicUrl),
    playableRungs: row.playable_rungs as VideoDetail['playableRungs'],
    renditions: row.renditions.filter((rendition) => rendition.quality !== 'audio').map(renditionView),
    audio: audioView(sounds),
    captions: row.captions,
    failure:
      row.failure_code === null
        ? null
        : { code: row.failure_code, message: row.failure_message ?? 'The video could not be processed.' },
  };
}

function audioView(sounds: readonly RenditionRow[]): VideoDetail['audio'] {
  const [first] = sounds;
  if (first === undefined) return null;
  const measured = ({ bitrate, codecs, sizeBytes }: RenditionRow) => ({ bitrate, codecs, sizeBytes });
  const tracks = sounds.map((sound) => ({
    language: sound.language,
    label: sound.label,
    isDefault: sound === first,
    isDescription: sound.isDescription,
    ...measured(sound),
  }));
  return { ...measured(first), tracks };
}

function renditionView(row: RenditionRow): Rendition {
  return {
    quality: row.quality as Rendition['quality'],
    width: row.width,
    height: row.height,
    bitrate: row.bitrate,
    codecs: row.codecs,
    sizeBytes: row.sizeBytes,
  };
}

/** Length of `2026-01-31 12:00:00.123456+00`, which PostgreSQL nearly always writes in a UTC session. */
const FULL_LENGTH = 29;

/** Converts a `timestamptz` as PostgreSQL writes it to RFC 3339, in UTC with milliseconds. */
function rfc3339(timestamp: string): string {
  // A page has dozens of timestamps, so avoid a Date if the text has the usual form.
  if (timestamp.length === FULL_LENGTH && timestamp.endsWith('+00')) {
    return `${timestamp.slice(0, 10)}T${timestamp.slice(11, 23)}Z`;
  }
  return new Date(timestamp).toISOString();
}

/** Like `rfc3339`, but passes `null` through. */
function rfc3339OrNull(timestamp: string | null): string | null {
  return timestamp === null ? null : rfc3339(timestamp);
}
