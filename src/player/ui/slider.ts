/**
 * A bar to point at. The range input inside is for keyboards and screen readers; pointers are followed here, so that a
 * touch anywhere on the bar counts in every browser.
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
      // The focus goes where the keyboard can go on from.
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

  /** 0 to 1, wherever the pointer is. */
  fractionAt(event: PointerEvent): number {
    const { left, width } = this.bar.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / (width || 1)));
  }

  /** Shows a value and says it in words. */
  show(fraction: number, words: string): void {
    this.bar.style.setProperty('--at', String(fraction));
    this.input.value = String(fraction);
    if (this.input.ariaValueText !== words) this.input.ariaValueText = words;
  }
}
