import type { Actions } from '../actions.js';
import type { DharaPlayerElement } from '../api.js';
import { clock, spoken } from '../time.js';
import { cueAt, type Cue } from '../vtt.js';
import { Slider } from './slider.js';

/** The timeline: what is loaded, what has played, where chapters begin, and a preview under the pointer. */
export class SeekBar {
  chapters: readonly Cue[] = [];
  storyboard: readonly Cue[] = [];
  readonly #slider: Slider;
  readonly #preview: HTMLElement;
  #wanted: number | undefined;

  constructor(
    private readonly player: DharaPlayerElement,
    actions: Actions,
    private readonly find: (selector: string) => HTMLElement,
  ) {
    this.#preview = find('.preview');
    const bar = find('#seek');
    this.#slider = new Slider(bar, (fraction, isLast) => {
      const seconds = fraction * this.#duration();
      // While the last seek is running, keep only the newest position.
      if (isLast || !player.seeking) actions.seekTo(seconds);
      this.#wanted = isLast ? undefined : seconds;
      this.#show(seconds);
    });
    player.video.addEventListener('seeked', () => {
      if (this.#wanted !== undefined) actions.seekTo(this.#wanted);
      this.#wanted = undefined;
    });
    bar.addEventListener('pointermove', (event) => this.#look(this.#slider.fractionAt(event)));
    for (const type of ['pointerleave', 'pointerup', 'pointercancel']) {
      bar.addEventListener(type, () => (this.#preview.hidden = true));
    }
  }

  get isHeld(): boolean {
    return this.#slider.held;
  }

  /** Draws the position. Cheap, because it runs once per frame. */
  sync(): void {
    if (!this.#slider.held) this.#show(this.player.currentTime);
  }

  /** Draws what rarely changes: what is loaded, and where chapters begin. */
  syncRanges(): void {
    const duration = this.#duration();
    const { buffered } = this.player;
    const loaded = Array.from({ length: duration > 0 ? buffered.length : 0 }, (_, index) =>
      mark(buffered.start(index) / duration, buffered.end(index) / duration),
    );
    const starts = this.chapters.filter(({ startSeconds }) => startSeconds > 0 && startSeconds < duration);
    this.find('#seek .ranges').replaceChildren(...loaded);
    this.find('#seek .marks').replaceChildren(...starts.map(({ startSeconds }) => mark(startSeconds / duration)));
  }

  #duration(): number {
    // NaN until the stream tells it.
    return this.player.duration || (this.player.manifest?.durationSeconds ?? 0);
  }

  #show(seconds: number): void {
    const duration = this.#duration();
    this.#slider.input.disabled = duration === 0;
    this.#slider.show(duration === 0 ? 0 : seconds / duration, `${spoken(seconds)} of ${spoken(duration)}`);
    const text = `${clock(seconds)} / ${clock(duration)}`;
    const time = this.find('.time');
    if (time.textContent !== text) time.textContent = text;
  }

  /** Shows a preview of a position. */
  #look(fraction: number): void {
    const duration = this.#duration();
    if (duration === 0) return;
    const seconds = fraction * duration;
    const thumb = this.#preview.querySelector<HTMLElement>('.thumb')!;
    const sprite = spriteOf(cueAt(this.storyboard, seconds)?.text);
    thumb.hidden = sprite === undefined;
    if (sprite) Object.assign(thumb.style, sprite);
    this.#preview.querySelector('b')!.textContent = cueAt(this.chapters, seconds)?.text ?? '';
    this.#preview.querySelector('span')!.textContent = clock(seconds);
    this.#preview.hidden = false;
    const half = this.#preview.offsetWidth / 2;
    const { width } = this.#slider.bar.getBoundingClientRect();
    const at = Math.min(Math.max(fraction * width, half), Math.max(half, width - half));
    this.#preview.style.setProperty('--x', `${at}px`);
  }
}

function mark(from: number, to?: number): HTMLElement {
  const element = document.createElement('i');
  element.style.left = `${from * 100}%`;
  if (to !== undefined) element.style.width = `${(to - from) * 100}%`;
  return element;
}

/** Maximum width of a preview above the bar. */
const MAX_WIDTH_PX = 168;

/**
 * The style that shows one picture of a sprite sheet: 'https://…/sheet.jpg#xywh=320,0,160,90'. Undefined for anything
 * else.
 */
function spriteOf(address: string | undefined): Partial<CSSStyleDeclaration> | undefined {
  const match = /^(\S+?)(?:#xywh=(?:pixel:)?(\d+),(\d+),(\d+),(\d+))?$/.exec(address ?? '');
  const [, url, x, y, width, height] = match ?? [];
  if (!url || !Number(width) || !Number(height)) return undefined;
  const scale = MAX_WIDTH_PX / Number(width);
  return {
    width: `${width}px`,
    height: `${height}px`,
    // The size of the sheet is not known here, so the picture is cut out at its original size and then scaled.
    zoom: String(Math.min(1, scale)),
    backgroundImage: `url(${JSON.stringify(url)})`,
    backgroundPosition: `-${x}px -${y}px`,
  };
}
