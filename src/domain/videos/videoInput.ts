import { AppError } from '../../errors.js';

export const VIDEO_LIMITS = {
  titleCharacters: 200,
  descriptionCharacters: 5000,
  tags: 20,
  tagCharacters: 50,
  /** Different tags of one account that are listed. */
  tagsListed: 100,
  /** Videos of one batch. */
  batch: 100,
  metadataEntries: 20,
  metadataKeyCharacters: 40,
  metadataValueCharacters: 500,
  /** Videos of one account whose file has not arrived yet. */
  awaitingUpload: 1000,
} as const;

const METADATA_KEY = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
/** Control characters (except tab and line breaks in longer text) and halves of surrogate pairs: no row stores them. */
const CONTROL_IN_LINE = /[\p{Cc}\p{Cs}]/u;
const CONTROL_IN_TEXT = /[^\P{Cc}\t\n\r]|\p{Cs}/u;

/** One line, trimmed. @throws INVALID_INPUT for nothing, too much, or control characters. */
export function checkedTitle(title: string): string {
  const trimmed = title.trim();
  if (trimmed === '' || characters(trimmed) > VIDEO_LIMITS.titleCharacters || CONTROL_IN_LINE.test(trimmed)) {
    throw invalid(`A title is one line of 1 to ${VIDEO_LIMITS.titleCharacters} characters.`);
  }
  return trimmed;
}

/** A title for who gave none: the file's name without its ending. */
export function titleOfFile(filename: string): string {
  const name = (filename.split(/[/\\]/).at(-1) ?? '').replace(/\.[A-Za-z0-9]{1,5}$/, '');
  const printable = Array.from(name.replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ').trim());
  return printable.slice(0, VIDEO_LIMITS.titleCharacters).join('').trim() || 'Untitled';
}

export function checkedDescription(description: string): string {
  if (characters(description) > VIDEO_LIMITS.descriptionCharacters || CONTROL_IN_TEXT.test(description)) {
    throw invalid(`A description has at most ${VIDEO_LIMITS.descriptionCharacters} characters.`);
  }
  return description;
}

/** Trimmed, each once, in the order given. */
export function checkedTags(tags: readonly string[]): string[] {
  const unique = [...new Set(tags.map((tag) => tag.trim()))];
  const fits = unique.every(
    (tag) => tag !== '' && characters(tag) <= VIDEO_LIMITS.tagCharacters && !CONTROL_IN_LINE.test(tag),
  );
  if (!fits || unique.length > VIDEO_LIMITS.tags) {
    throw invalid(`At most ${VIDEO_LIMITS.tags} tags of 1 to ${VIDEO_LIMITS.tagCharacters} characters are allowed.`);
  }
  return unique;
}

export function checkedMetadata(metadata: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(metadata);
  const fits = entries.every(
    ([key, value]) =>
      METADATA_KEY.test(key) &&
      key.length <= VIDEO_LIMITS.metadataKeyCharacters &&
      characters(value) <= VIDEO_LIMITS.metadataValueCharacters &&
      !CONTROL_IN_TEXT.test(value),
  );
  if (!fits || entries.length > VIDEO_LIMITS.metadataEntries) {
    throw invalid(
      `Metadata has at most ${VIDEO_LIMITS.metadataEntries} entries: keys of letters, digits and _.- up to ` +
        `${VIDEO_LIMITS.metadataKeyCharacters}, values up to ${VIDEO_LIMITS.metadataValueCharacters} characters.`,
    );
  }
  return Object.fromEntries(entries);
}

function characters(text: string): number {
  return Array.from(text).length;
}

function invalid(message: string): AppError {
  return new AppError('INVALID_INPUT', message);
}
