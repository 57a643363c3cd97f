import { RATES, type Actions } from '../actions.js';
import type { DharaPlayerElement } from '../api.js';
import type { Captions } from '../captions.js';
import type { Session } from '../session.js';
import { clock } from '../time.js';
import { cueAt, type Cue } from '../vtt.js';
import type { Section } from './menu.js';

export interface SectionDeps {
  readonly player: DharaPlayerElement;
  readonly session: Session;
  readonly captions: Captions;
  readonly actions: Actions;
  readonly chapters: () => readonly Cue[];
}

/** The sections that can be chosen now. Sections with only one choice are left out. */
export function sectionsOf(deps: SectionDeps): Section[] {
  const sound = { id: 'audio', label: 'Audio', choices: deps.session.sounds };
  return [quality(deps), speed(deps), sound, captions(deps), chapters(deps)].filter(
    ({ id, choices }) => choices.length > (id === 'chapters' ? 0 : 1),
  );
}

function quality({ session }: SectionDeps): Section {
  const { pinned, shown, qualities } = session;
  const auto = { label: 'Auto', detail: shown?.label ?? '', isChecked: pinned === null, pick: () => session.pin(null) };
  const renditions = qualities.map((rendition) => ({
    label: rendition.label,
    isChecked: pinned?.height === rendition.height,
    pick: () => session.pin(rendition),
  }));
  const value = pinned?.label ?? ['Auto', shown?.label].filter(Boolean).join(' · ');
  return { id: 'quality', label: 'Quality', value, choices: renditions.length > 1 ? [auto, ...renditions] : [] };
}

function speed({ player, actions }: SectionDeps): Section {
  const name = (rate: number): string => (rate === 1 ? 'Normal' : `${rate}×`);
  const choices = RATES.map((rate) => ({
    label: name(rate),
    isChecked: player.playbackRate === rate,
    pick: () => actions.setRate(rate),
  }));
  return { id: 'speed', label: 'Speed', value: name(player.playbackRate), choices };
}

function captions({ captions: { tracks, active }, captions: all }: SectionDeps): Section {
  const off = { label: 'Off', isChecked: active === undefined, pick: () => all.show(undefined) };
  const choices = tracks.map((track) => ({
    label: nameOf(track),
    isChecked: track === active,
    pick: () => all.show(track),
  }));
  return { id: 'captions', label: 'Captions', choices: [off, ...choices] };
}

function chapters({ player, actions, chapters: list }: SectionDeps): Section {
  const current = cueAt(list(), player.currentTime);
  const choices = list().map((chapter) => ({
    label: chapter.text,
    detail: clock(chapter.startSeconds),
    isChecked: chapter === current,
    pick: () => actions.seekTo(chapter.startSeconds),
  }));
  return { id: 'chapters', label: 'Chapters', choices };
}

function nameOf(track: TextTrack): string {
  return track.label || track.language || 'Captions';
}
