import type { Database } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import type { ByteRange, ObjectInfo, ObjectStore, StreamedObject } from '../../../ports/objectStore.js';
import type { Container, SourceProbe } from '../../../ports/sourceProbe.js';
import { Video } from './video.entity.js';
import { notFound } from './video.service.js';

/** The usual ending and media type of a file. Names of uploads are not kept; the container was detected by its bytes. */
const FILES: Readonly<Record<Container, readonly [ending: string, mediaType: string]>> = {
  mp4: ['mp4', 'video/mp4'],
  matroska: ['mkv', 'video/x-matroska'],
  mpegts: ['ts', 'video/mp2t'],
  mpegps: ['mpg', 'video/mpeg'],
  avi: ['avi', 'video/x-msvideo'],
  flv: ['flv', 'video/x-flv'],
  asf: ['wmv', 'video/x-ms-asf'],
  mxf: ['mxf', 'application/mxf'],
  dv: ['dv', 'video/dv'],
  gif: ['gif', 'image/gif'],
  mp3: ['mp3', 'audio/mpeg'],
  aac: ['aac', 'audio/aac'],
  wav: ['wav', 'audio/wav'],
  flac: ['flac', 'audio/flac'],
  ogg: ['ogg', 'audio/ogg'],
};
/** What file systems refuse in names, and what would make the name a path. */
const NOT_IN_NAMES = /[\p{Cc}\p{Cf}\p{Cs}/\\:*?"<>|]/gu;
const MOST_CHARACTERS = 150;

/** The uploaded file of a video, unchanged. */
export interface SourceFile {
  /** Its title with the ending of its container; not measured yet, only the title. */
  readonly fileName: string;
  readonly mediaType: string;
  readonly info: ObjectInfo;
  /** @throws VIDEO_NOT_FOUND if the file has gone meanwhile */
  read(range?: ByteRange): Promise<StreamedObject>;
}

/** Gives owners their own uploads back. Sources are stored as they came, also those of encrypted videos. */
export class SourceService {
  constructor(private readonly deps: { readonly db: Database; readonly store: Pick<ObjectStore, 'head' | 'get'> }) {}

  /**
   * @throws VIDEO_NOT_FOUND, also for a video in the bin; INVALID_STATE if its file has not arrived, or was refused
   */
  async open(accountId: string, videoId: string): Promise<SourceFile> {
    const video = await this.deps.db.em().findOne(Video, { accountId, id: videoId, deletedAt: null });
    if (!video) throw notFound();
    const key = video.sourceKey;
    const info = key == null ? null : await this.deps.store.head(key);
    if (key == null || info === null) throw new AppError('INVALID_STATE', 'This video has no source file.');
    const probe = (video.sourceProbe ?? null) as SourceProbe | null;
    const [ending, mediaType] = probe ? FILES[probe.container] : [null, 'application/octet-stream'];
    return {
      fileName: fileNameOf(video.title, ending),
      mediaType,
      info,
      read: async (range) => {
        const object = await this.deps.store.get(key, range);
        if (object === null) throw notFound();
        return object;
      },
    };
  }
}

function fileNameOf(title: string, ending: string | null): string {
  // A leading dot would hide the file.
  const tidy = title
    .replaceAll(NOT_IN_NAMES, ' ')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  const name = Array.from(tidy).slice(0, MOST_CHARACTERS).join('');
  const isNamed = ending === null || name.toLowerCase().endsWith(`.${ending}`);
  return `${name || 'video'}${isNamed ? '' : `.${ending}`}`;
}
