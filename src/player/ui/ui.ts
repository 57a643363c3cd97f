import { Actions } from '../actions.js';
import type { DharaPlayerElement, Manifest, PlayerState } from '../api.js';
import { Captions } from '../captions.js';
import { warmUp } from '../startEngine.js';
import type { PlayerError } from '../errors.js';
import type { Session } from '../session.js';
import { cueAt, loadVtt, type Cue } from '../vtt.js';
import { Controls } from './controls.js';
import { Gestures } from './gestures.js';
import { listenToKeys } from './keyboard.js';
import { Menu } from './menu.js';
import { SeekBar } from './seekBar.js';
import { sectionsOf } from './sections.js';

/** The visible parts of the player. State comes in through `show…` and `sync`; user actions go to the player. */
export class PlayerUi {
  readonly captions: Captions;
  readonly #seekBar: SeekBar;
  readonly #controls: Controls;
  readonly #gestures: Gestures;
  #captions: AbortController | undefined;
  #language: string | null = null;

  constructor(
    private readonly player: DharaPlayerElement,
    session: Session,
    private readonly find: (selector: string) => HTMLElement,
    private readonly onCaptions: (language: string | null) => void,
  ) {
    const shell = find('.shell');
    const toast = new Toast(find('.toast'));
    const actions = new Actions(player, (words) => toast.say(words));
    this.captions = new Captions(player.video, find('.captions'), () => this.#captionsChanged());
    this.#seekBar = new SeekBar(player, actions, find);
    const chapters = (): readonly Cue[] => this.#seekBar.chapters;
    const menu = new Menu(
      find('.menu'),
      () => sectionsOf({ player, session, captions: this.captions, actions, chapters }),
      (isOpen) => (isOpen ? shell.classList.remove('idle') : this.#gestures.wake()),
    );
    this.#controls = new Controls({ player, session, captions: this.captions, actions, menu, find });
    this.#gestures = new Gestures(shell, player, actions, () => menu.isOpen || this.#seekBar.isHeld);
    listenToKeys(shell, player, actions, () => {
      const on = this.captions.tracks.length > 0 && this.captions.toggle();
      toast.say(on ? `Captions: ${on.label || on.language}` : 'Captions off');
    });
    // A viewer who points at it is about to play it.
    shell.addEventListener('pointerenter', () => warmUp(player.video), { once: true });
    shell.addEventListener('pointerdown', (event) => {
      if (menu.isOpen && !event.composedPath().includes(find('.menu'))) menu.close();
    });
    find('#retry').addEventListener('click', () => {
      shell.focus({ preventScroll: true });
      session.retry().catch(() => undefined);
    });
    this.sync();
  }

  /** Draws the current state of the `<video>`. `event` is what changed it. */
  sync(event = ''): void {
    if (event === 'timeupdate') this.#syncChapter();
    if (event === '' || /progress|duration|metadata|emptied|seeked/.test(event)) this.#seekBar.syncRanges();
    if (event === 'play') this.#followTime();
    if (event === 'play' || event === 'pause') this.#gestures.wake();
    this.#seekBar.sync();
    this.#controls.sync();
  }

  showState(state: PlayerState, error: PlayerError | null): void {
    this.#controls.showState(state, error);
    this.sync();
  }

  /** Loads the storyboard and the chapters. */
  showManifest(manifest: Manifest | null, chaptersUrl: string | null): void {
    this.#captions?.abort();
    this.#captions = new AbortController();
    const { signal } = this.#captions;
    this.#seekBar.chapters = [];
    this.#seekBar.storyboard = [];
    void loadVtt(manifest?.storyboardUrl, signal).then((cues) => {
      if (!signal.aborted) this.#seekBar.storyboard = cues.map((cue) => absolute(cue, manifest?.storyboardUrl));
    });
    void loadVtt(manifest?.chaptersUrl ?? chaptersUrl, signal).then((cues) => {
      if (signal.aborted) return;
      this.#seekBar.chapters = cues;
      this.#seekBar.syncRanges();
      this.#syncChapter();
    });
  }

  showTitle(title: string): void {
    this.find('.title').textContent = title;
    this.find('.shell').ariaLabel = title ? `Video player: ${title}` : 'Video player';
    this.sync();
  }

  #captionsChanged(): void {
    this.#controls.sync();
    const language = this.captions.active?.language ?? null;
    if (language !== this.#language) this.onCaptions(language);
    this.#language = language;
  }

  #syncChapter(): void {
    const button = this.find('#chapter');
    const title = cueAt(this.#seekBar.chapters, this.player.currentTime)?.text ?? '';
    button.hidden = title === '';
    if (button.textContent !== title) button.textContent = title;
    button.ariaLabel = `Chapter: ${title}`;
  }

  /** The browser reports the time only four times a second, but the bar moves with every frame. */
  #followTime(): void {
    if (this.player.paused) return;
    this.#seekBar.sync();
    requestAnimationFrame(() => this.#followTime());
  }
}

/** Pictures are addressed relative to their WebVTT file. */
function absolute(cue: Cue, base: string | null | undefined): Cue {
  return URL.canParse(cue.text, base ?? '') ? { ...cue, text: new URL(cue.text, base ?? '').href } : cue;
}

const SHOWN_MS = 1200;

/** Shows briefly what a key or gesture did. It is a live region, so screen readers announce it. */
class Toast {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly element: HTMLElement) {}

  say(words: string): void {
    clearTimeout(this.#timer);
    this.element.textContent = words;
    this.element.classList.add('shown');
    this.#timer = setTimeout(() => this.element.classList.remove('shown'), SHOWN_MS);
  }
}
