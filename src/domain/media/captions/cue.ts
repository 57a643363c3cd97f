/** One text of a caption track. Times are relative to the video, in whole milliseconds. */
export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  /** WebVTT settings, such as 'line:0 align:start'; empty for none. */
  readonly settings: string;
  /** WebVTT cue text with our own tags; everything else is escaped. Lines are separated by '\n'; none is empty. */
  readonly text: string;
}

export const CAPTION_LIMITS = {
  /** UTF-8 size of an uploaded file. */
  fileBytes: 1_000_000,
  /** Size as stored: escaping and closing tags make texts a little longer. */
  storedBytes: 2_000_000,
  cues: 20_000,
  cueCharacters: 5_000,
  /** Per video. */
  tracks: 20,
  labelCharacters: 80,
  languageCharacters: 35,
  chapters: 200,
  chapterTitleCharacters: 200,
} as const;
