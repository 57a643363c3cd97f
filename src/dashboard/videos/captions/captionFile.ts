import { words } from '#words/captions.js';
import { wordsOf } from '../../session/failures.js';
import { showBytes } from '../../lib/format.js';

const MAX_BYTES = 1_000_000;

/** What is wrong with a captions file, in a sentence. */
class CaptionFileError extends Error {
  override readonly name = 'CaptionFileError';
}

/** Why a file cannot be captions; null if it may be. The service checks its contents, by line. */
export function faultOfFile({ name, size }: File): string | null {
  if (!/\.(?:srt|vtt)$/i.test(name)) return words.captionFile.chooseSrtWebvttFile;
  if (size === 0) return words.captionFile.fileEmpty;
  if (size > MAX_BYTES) return words.captionFile.fileCaptionsCanUp(showBytes(size));
  return null;
}

/** @throws CaptionFileError */
export async function readCaptions(file: File): Promise<string> {
  const fault = faultOfFile(file);
  if (fault !== null) throw new CaptionFileError(fault);
  return file.text().catch(() => {
    throw new CaptionFileError('This file cannot be read any more. Choose it again.');
  });
}

/** What an error says about the file; null if it is about something else. */
export function fileFaultOf(error: unknown): string | null {
  if (error instanceof CaptionFileError) return error.message;
  const { code, title } = wordsOf(error);
  return error && code === 'INVALID_INPUT' ? title : null;
}
