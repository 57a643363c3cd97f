import type { SourceAudio, SourceChapter, SourceSubtitles } from '../../../ports/transcoder.js';

const MAX_SUBTITLES = 20;
const MAX_CHAPTERS = 1_000;
const MAX_TITLE_CHARS = 500;
const TEXT_CODECS = new Set(['mov_text', 'subrip', 'srt', 'text', 'ass', 'ssa', 'webvtt']);
/** Bitmap subtitles of Blu-rays, DVDs and broadcasts. */
const PICTURE_CODECS = new Set(['hdmv_pgs_subtitle', 'dvd_subtitle', 'dvb_subtitle', 'xsub']);

/** What ffprobe prints about captions and chapters. Tags can be megabytes of anything. */
export const TEXT_ENTRIES = [
  'stream_disposition=forced,hearing_impaired',
  'stream_tags=language,title,handler_name',
  'chapter=start_time',
  'chapter_tags=title',
].join(':');

/** ffprobe's JSON: every field can be missing. */
export interface TextReport {
  streams?: {
    index?: number;
    codec_type?: string;
    codec_name?: string;
    disposition?: { forced?: number; hearing_impaired?: number };
    tags?: Record<string, string>;
  }[];
  chapters?: { start_time?: string; tags?: Record<string, string> }[];
}

export interface FoundCaptions {
  subtitles: SourceSubtitles[];
  pictureSubtitles: number;
  chapters: SourceChapter[];
  /** Languages and titles of the sound tracks, by stream. */
  sounds: ReadonlyMap<number, Pick<SourceAudio, 'language' | 'title'>>;
}

/** The captions and chapters of a file; empty if they were not reported. */
export function readCaptions({ streams = [], chapters = [] }: TextReport): FoundCaptions {
  const nameOf = (tags: Record<string, string>): { language: string | null; title: string | null } => ({
    language: text(tags['language']),
    title: text(tags['title']) ?? ownName(tags['handler_name']),
  });
  const subtitlesIn = (codecs: ReadonlySet<string>): typeof streams =>
    streams.filter(({ codec_type: type, codec_name: codec }) => type === 'subtitle' && codecs.has(codec ?? ''));
  return {
    subtitles: subtitlesIn(TEXT_CODECS)
      .slice(0, MAX_SUBTITLES)
      .map(({ index = 0, codec_name: codec = '', disposition = {}, tags = {} }) => ({
        streamIndex: index,
        codec,
        ...nameOf(tags),
        isForced: disposition.forced === 1,
        isSdh: disposition.hearing_impaired === 1,
      })),
    pictureSubtitles: subtitlesIn(PICTURE_CODECS).length,
    sounds: new Map(
      streams
        .filter(({ codec_type: type }) => type === 'audio')
        .map(({ index = 0, tags = {} }) => [index, nameOf(tags)]),
    ),
    chapters: chapters
      .slice(0, MAX_CHAPTERS)
      .map(({ start_time: start, tags = {} }) => ({
        startMs: Math.max(0, Math.round(Number(start) * 1_000)),
        title: text(tags['title']) ?? '',
      }))
      .filter(({ startMs }) => Number.isSafeInteger(startMs)),
  };
}

function text(value: string | undefined): string | null {
  return value === undefined || value === ''
    ? null
    : value.slice(0, MAX_TITLE_CHARS).toWellFormed().replaceAll('\0', ' ');
}

/** MP4 has no track titles. Some programs write one where others write the kind of track. */
function ownName(handler: string | undefined): string | null {
  return /handler|^(core media|gpac|isom?edia|apple)/i.test(handler ?? '') ? null : text(handler);
}
