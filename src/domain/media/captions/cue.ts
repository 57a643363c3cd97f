/** One text of a caption track. Times are of the video, in whole milliseconds. */
export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  /** Of WebVTT, such as 'line:0 align:start'; empty for none. */
  readonly settings: string;
  /** WebVTT cue text: our own tags, everything else escaped. Lines are separated by '\n'; none is empty. */
  readonly text: string;
}

export const CAPTION_LIMITS = {
  /** UTF-8, of a file as it is sent. */
  fileBytes: 1_000_000,
  /** As it is kept: escaping and closing tags make texts a little longer. */
  storedBytes: 2_000_000,
  cues: 20_000,
  cueCharacters: 5_000,
  /** Of one video. */
  tracks: 20,
  labelCharacters: 80,
  languageCharacters: 35,
  chapters: 200,
  chapterTitleCharacters: 200,
} as const;
