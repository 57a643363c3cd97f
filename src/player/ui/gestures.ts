import type { Actions } from '../actions.js';
import type { DharaPlayerElement } from '../api.js';

const IDLE_MS = 2_800;
const DOUBLE_TAP_MS = 300;
const LEAP_SECONDS = 10;

/**
 * Handles pointers on the picture, and hides the controls. With a mouse, a click plays or pauses and a double click
 * toggles full screen. With a finger, a tap shows the controls and a double tap seeks: backward on the left third,
 * forward on the right.
 */
export class Gestures {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastTapMs = -Infinity;
  #pointer = 'mouse';

  constructor(
    private readonly shell: HTMLElement,
    private readonly player: DharaPlayerElement,
    private readonly actions: Actions,
    /** True while something is open or held that must stay visible. */
    private readonly isBusy: () => boolean,
  ) {
    const { video } = player;
    for (const type of ['pointermove', 'pointerdown', 'keydown', 'focusin']) {
      shell.addEventListener(type, (event) => {
        // A tap on the picture decides separately whether to show or hide them.
        if (!(event.target === video && isTouch(event))) this.wake();
      });
    }
    shell.addEventListener('pointerleave', (event) => {
      if (event.pointerType === 'mouse') this.#sleep();
    });
    video.addEventListener('pointerdown', (event) => (this.#pointer = event.pointerType));
    video.addEventListener('click', (event) => {
      if (this.#pointer === 'mouse') actions.togglePlay();
      else this.#tap(event);
    });
    video.addEventListener('dblclick', () => {
      if (this.#pointer === 'mouse') actions.toggleFullscreen();
    });
  }

  /** Shows the controls. They hide again after a while during playback. */
  wake(): void {
    this.shell.classList.remove('idle');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#sleep(), IDLE_MS);
  }

  #sleep(): void {
    clearTimeout(this.#timer);
    if (this.player.paused || this.isBusy()) return;
    this.shell.classList.add('idle');
  }

  #tap(event: MouseEvent): void {
    const isSecond = event.timeStamp - this.#lastTapMs < DOUBLE_TAP_MS;
    this.#lastTapMs = event.timeStamp;
    const { left, width } = this.shell.getBoundingClientRect();
    const third = Math.floor(((event.clientX - left) / width) * 3);
    if (isSecond && third !== 1) this.actions.seekBy(third === 0 ? -LEAP_SECONDS : LEAP_SECONDS);
    else if (this.shell.classList.contains('idle')) this.wake();
    else this.#sleep();
  }
}

function isTouch(event: Event): boolean {
  return event instanceof PointerEvent && event.pointerType !== 'mouse';
}
