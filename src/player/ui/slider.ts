/**
 * A slider. The range input inside is for keyboards and screen readers. This class follows pointers itself, so that a
 * touch anywhere on the bar works in every browser.
 */
export class Slider {
  readonly input: HTMLInputElement;
  /** True while a pointer holds it. */
  held = false;

  constructor(
    readonly bar: HTMLElement,
    onFraction: (fraction: number, isLast: boolean) => void,
  ) {
    this.input = bar.querySelector('input')!;
    this.input.addEventListener('input', () => onFraction(Number(this.input.value), true));
    bar.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      // Focus the input, so that the keyboard can continue from here.
      event.preventDefault();
      this.input.focus({ preventScroll: true });
      this.held = true;
      bar.setPointerCapture(event.pointerId);
      onFraction(this.fractionAt(event), false);
    });
    bar.addEventListener('pointermove', (event) => {
      if (this.held) onFraction(this.fractionAt(event), false);
    });
    const release = (event: PointerEvent): void => {
      if (!this.held) return;
      this.held = false;
      onFraction(this.fractionAt(event), true);
    };
    bar.addEventListener('pointerup', release);
    bar.addEventListener('pointercancel', () => (this.held = false));
  }

  /** The pointer's position, from 0 to 1. */
  fractionAt(event: PointerEvent): number {
    const { left, width } = this.bar.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / (width || 1)));
  }

  /** Shows a value and announces it in words. */
  show(fraction: number, words: string): void {
    this.bar.style.setProperty('--at', String(fraction));
    this.input.value = String(fraction);
    if (this.input.ariaValueText !== words) this.input.ariaValueText = words;
  }
}
