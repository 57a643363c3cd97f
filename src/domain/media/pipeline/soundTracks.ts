import { soundsOf, type SourceAudio, type SourceProbe } from '../../../ports/transcoder.js';
import { printable } from '../captions/chapters.js';
import { CAPTION_LIMITS } from '../captions/cue.js';
import { freeLabel, languageName, languageOf } from '../captions/language.js';

/** What a track of sound is called in playlists, menus and lists. */
export interface SoundTrack {
  /** From 1, which is the one that plays by default. */
  readonly track: number;
  /** BCP 47; 'und' where it is not known. */
  readonly language: string;
  /** One line, unique among them. */
  readonly label: string;
  /** It tells what is to be seen. */
  readonly isDescription: boolean;
}

/** The tracks of sound that a ladder of this source has. */
export function soundTracks(source: Pick<SourceProbe, 'audio' | 'audios'>): SoundTrack[] {
  const tracks: SoundTrack[] = [];
  for (const [index, sound] of soundsOf(source).entries()) {
    const track = index + 1;
    const language = languageOf(sound.language ?? null);
    const wanted = printable(sound.title ?? '', CAPTION_LIMITS.labelCharacters - 4) || nameOf(sound, language, track);
    tracks.push({ track, language, label: freeLabel(wanted, tracks), isDescription: sound.isDescription === true });
  }
  return tracks;
}

/** 'Deutsch', 'English (commentary)', 'Track 3'. */
function nameOf({ isCommentary, isDescription }: SourceAudio, language: string, track: number): string {
  const unknown = track === 1 ? 'Main' : `Track ${track}`;
  const name = language === 'und' ? unknown : languageName(language);
  if (isDescription) return `${name} (audio description)`;
  return isCommentary ? `${name} (commentary)` : name;
}
