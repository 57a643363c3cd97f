import type { ExtractedSubtitles } from '../../../ports/transcoder.js';
import { printable, usableChapters, type Chapter } from './chapters.js';
import { CAPTION_LIMITS } from './cue.js';
import { freeLabel, languageName, languageOf } from './language.js';
import { parseCaptions } from './parseCaptions.js';
import { captionsVtt } from './writeVtt.js';

/** A caption track that is ready to be stored. */
export interface PreparedCaption {
  readonly language: string;
  readonly label: string;
  /** Forced subtitles: only lines that must be read. */
  readonly isForced: boolean;
  /** For the deaf and hard of hearing. */
  readonly isSdh: boolean;
  readonly vtt: string;
}

/** What a source contains besides picture and sound. */
export interface SourceCaptions {
  readonly captions: readonly PreparedCaption[];
  readonly chapters: readonly Chapter[];
}

export const NO_CAPTIONS: SourceCaptions = { captions: [], chapters: [] };

/**
 * Prepares the captions and chapters of a source. Keeps the cues that follow the rules for uploaded captions, and drops
 * the others, since nobody is there to fix them. Omits a track without valid cues, or one larger than an upload may be.
 * @param onRefused receives the reason for each omitted track
 */
export function prepareSourceCaptions(
  found: { subtitles: readonly ExtractedSubtitles[]; chapters: readonly Chapter[]; durationMs: number },
  onRefused: (error: unknown) => void,
): SourceCaptions {
  const captions: PreparedCaption[] = [];
  for (const { language: said, title, isForced, isSdh, text } of found.subtitles.slice(0, CAPTION_LIMITS.tracks)) {
    const language = languageOf(said);
    const wanted =
      printable(title ?? '', CAPTION_LIMITS.labelCharacters - 4) || nameOf(languageName(language), { isForced, isSdh });
    try {
      const vtt = captionsVtt(parseCaptions(text, { isLenient: true }));
      captions.push({ language, label: freeLabel(wanted, captions), isForced, isSdh, vtt });
    } catch (error) {
      onRefused(error);
    }
  }
  return { captions, chapters: usableChapters(found.chapters, found.durationMs) };
}

/** 'English', 'English (forced)', 'English (SDH)'. */
function nameOf(language: string, { isForced, isSdh }: Pick<PreparedCaption, 'isForced' | 'isSdh'>): string {
  const purposes = [...(isForced ? ['forced'] : []), ...(isSdh ? ['SDH'] : [])];
  return purposes.length === 0 ? language : `${language} (${purposes.join(', ')})`;
}
