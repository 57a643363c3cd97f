import { soundsOf, type SourceAudio, type SourceProbe } from '../../../ports/transcoder.js';
import { printable } from '../captions/chapters.js';
import { CAPTION_LIMITS } from '../captions/cue.js';
import { freeLabel, languageName, languageOf } from '../captions/language.js';

/** The name of a sound track in playlists, menus and lists. */
export interface SoundTrack {
  /** Starts at 1, the default track. */
  readonly track: number;
  /** BCP 47; 'und' if unknown. */
  readonly language: string;
  /** One line, unique within the video. */
  readonly label: string;
  /** Audio description. */
  readonly isDescription: boolean;
}

/** The sound tracks of this source's ladder. */
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

/** For example 'Deutsch', 'English (commentary)', 'Track 3'. */
function nameOf({ isCommentary, isDescription }: SourceAudio, language: string, track: number): string {
  const unknown = track === 1 ? 'Main' : `Track ${track}`;
  const name = language === 'und' ? unknown : languageName(language);
  if (isDescription) return `${name} (audio description)`;
  return isCommentary ? `${name} (commentary)` : name;
}
