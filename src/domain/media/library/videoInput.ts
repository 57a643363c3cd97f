import { AppError } from '../../../errors.js';
import { checkedLine, checkedLines, readableLine, unreadableCharacters } from '../../../readableText.js';

export const VIDEO_LIMITS = {
  titleCharacters: 200,
  descriptionCharacters: 5000,
  tags: 20,
  tagCharacters: 50,
  /** The most tags listed per account. */
  tagsListed: 100,
  /** The most videos per batch. */
  batch: 100,
  metadataEntries: 20,
  metadataKeyCharacters: 40,
  metadataValueCharacters: 500,
  /** The most videos of one account whose file has not arrived yet. */
  awaitingUpload: 1000,
  /** The most videos of one account that are not bought yet or failed; a video that fails at once costs nothing. */
  unprocessed: 10_000,
} as const;

const METADATA_KEY = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/** One line, trimmed. @throws INVALID_INPUT if it is empty, too long, or unreadable. */
export function checkedTitle(title: string): string {
  return checkedLine('A title', title, { min: 1, max: VIDEO_LIMITS.titleCharacters });
}

/** The default title: the file's name without its extension. */
function titleOfFile(filename: string): string {
  const name = (filename.split(/[/\\]/).at(-1) ?? '').replace(/\.[A-Za-z0-9]{1,5}$/, '');
  const readable = Array.from(readableLine(name));
  return readable.slice(0, VIDEO_LIMITS.titleCharacters).join('').trim() || 'Untitled';
}

/**
 * The title of an upload. If a client derived it from the file's name, it is cleaned like the name, since nobody typed
 * its unreadable characters.
 *
 * @throws INVALID_INPUT for a title that was typed, like `checkedTitle`
 */
export function titleOfUpload(title: string | null | undefined, filename: string): string {
  if (title == null || title.trim() === '') return titleOfFile(filename);
  const unreadable = unreadableCharacters(title);
  const isCopied = unreadable.length > 0 && unreadable.every((character) => filename.includes(character));
  return isCopied ? checkedTitle(readableLine(title) || titleOfFile(filename)) : checkedTitle(title);
}

export function checkedDescription(description: string): string {
  return checkedLines('A description', description, { max: VIDEO_LIMITS.descriptionCharacters });
}

/** Trimmed and without duplicates, in the given order. */
export function checkedTags(tags: readonly string[]): string[] {
  const limits = { min: 1, max: VIDEO_LIMITS.tagCharacters };
  const unique = [...new Set(tags.map((tag) => checkedLine('A tag', tag, limits)))];
  if (unique.length > VIDEO_LIMITS.tags) throw invalid(`A video has at most ${VIDEO_LIMITS.tags} tags.`);
  return unique;
}

/** Tags to remove. Accepts everything that was ever stored, even what would be refused today. */
export function namedTags(tags: readonly string[]): string[] {
  if (tags.length > VIDEO_LIMITS.tags) throw invalid(`A video has at most ${VIDEO_LIMITS.tags} tags.`);
  const storable = tags.filter((tag) => tag.isWellFormed() && !tag.includes('\0'));
  return [...new Set(storable.flatMap((tag) => [tag, tag.trim(), tag.trim().normalize('NFC')]))];
}

export function checkedMetadata(metadata: Readonly<Record<string, string>>): Record<string, string> {
  const max = VIDEO_LIMITS.metadataValueCharacters;
  const entries = Object.entries(metadata).map(
    ([key, value]) => [key, checkedLines('A value of metadata', value, { max })] as const,
  );
  const fits = entries.every(([key]) => METADATA_KEY.test(key) && key.length <= VIDEO_LIMITS.metadataKeyCharacters);
  if (!fits || entries.length > VIDEO_LIMITS.metadataEntries) {
    throw invalid(
      `Metadata has at most ${VIDEO_LIMITS.metadataEntries} entries: keys of letters, digits and _.- up to ` +
        `${VIDEO_LIMITS.metadataKeyCharacters}, values up to ${VIDEO_LIMITS.metadataValueCharacters} characters.`,
    );
  }
  return Object.fromEntries(entries);
}

function invalid(message: string): AppError {
  return new AppError('INVALID_INPUT', message);
}
