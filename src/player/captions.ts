import type { Manifest } from './api.js';

/**
 * The captions of a video, from the stream, the manifest, or `<track>` elements of the page. The player draws them
 * itself, above its controls and in its own style.
 */
export class Captions {
  /** The track that was on last, for the key that toggles captions. */
  #last: TextTrack | undefined;
  #isNative = false;
  /** Switched off but kept `hidden`: WebKit never fires the cues of a `<track>` again after it was `disabled`. */
  readonly #resting = new WeakSet<TextTrack>();

  constructor(
    private readonly video: HTMLVideoElement,
    private readonly area: HTMLElement,
    private readonly onChange: () => void,
  ) {
    video.textTracks.addEventListener('addtrack', ({ track }) => {
      track?.addEventListener('cuechange', () => this.#draw());
      onChange();
    });
    video.addEventListener('webkitbeginfullscreen', () => this.#setNative(true));
    video.addEventListener('webkitendfullscreen', () => this.#setNative(false));
    video.textTracks.addEventListener('removetrack', () => {
      this.#draw();
      onChange();
    });
    video.textTracks.addEventListener('change', () => {
      // Whatever switched a track on, including the stream's default, only we draw it.
      for (const track of this.tracks) if (track.mode === 'showing') this.#turnOn(track);
      this.#draw();
      onChange();
    });
  }

  /** In the browser's own full screen, the browser draws the captions, too. */
  #setNative(isNative: boolean): void {
    this.#isNative = isNative;
    const { active } = this;
    if (active) this.#turnOn(active);
  }

  #turnOn(track: TextTrack): void {
    this.#resting.delete(track);
    track.mode = this.#isNative ? 'showing' : 'hidden';
  }

  #turnOff(track: TextTrack): void {
    const added = [...this.video.querySelectorAll('track')].map((element) => element.track);
    // hls.js mistakes a hidden track beside its own for the chosen one.
    const canRest = track.mode !== 'disabled' && this.tracks.every((each) => added.includes(each));
    if (canRest) this.#resting.add(track);
    track.mode = canRest ? 'hidden' : 'disabled';
  }

  get tracks(): TextTrack[] {
    return [...this.video.textTracks].filter(({ kind }) => kind === 'subtitles' || kind === 'captions');
  }

  get active(): TextTrack | undefined {
    return this.tracks.find((track) => track.mode !== 'disabled' && !this.#resting.has(track));
  }

  show(wanted: TextTrack | undefined): void {
    for (const track of this.tracks) {
      if (track === wanted) this.#turnOn(track);
      else this.#turnOff(track);
    }
    this.#last = wanted ?? this.#last;
    this.#draw();
    this.onChange();
  }

  /** Returns the track that is on now. */
  toggle(): TextTrack | undefined {
    const { tracks } = this;
    const again = this.#last && tracks.includes(this.#last) ? this.#last : tracks[0];
    this.show(this.active ? undefined : again);
    return this.active;
  }

  /** Shows the captions of a language, if there are any. 'en' matches 'en-GB'. */
  choose(language: string): void {
    const found = this.tracks.find((track) => track.language.startsWith(language));
    if (found) this.show(found);
  }

  /** Adds the manifest's captions for languages that the stream does not have. */
  addFrom(manifest: Manifest | null): void {
    const present = new Set(this.tracks.map(({ language }) => language));
    for (const { url, language, label } of manifest?.captions ?? []) {
      if (url && !present.has(language)) this.add(url, language, label, 'subtitles');
    }
  }

  add(url: string, language: string, label: string, kind: string): void {
    // When the video is reloaded after an interruption, these are still there.
    if ([...this.video.querySelectorAll('track')].some(({ src }) => src === url)) return;
    const track = document.createElement('track');
    Object.assign(track, { kind, srclang: language, label, src: url });
    this.video.append(track);
  }

  /** Removes the captions that `add` added. */
  clear(): void {
    for (const track of this.video.querySelectorAll('track')) track.remove();
    this.#last = undefined;
    this.#draw();
  }

  #draw(): void {
    const cues = [...(this.active?.activeCues ?? [])] as VTTCue[];
    this.area.hidden = cues.length === 0;
    this.area.replaceChildren(
      ...cues.map((cue) => {
        const line = document.createElement('span');
        line.setAttribute('part', 'cue');
        line.dir = 'auto';
        line.append(cue.getCueAsHTML());
        return line;
      }),
    );
  }
}
