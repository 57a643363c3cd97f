const SHOWN_MS = 1200;

/** A word on what a key or a gesture did. It is a live region, so it is said as well as seen. */
export class Toast {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly element: HTMLElement) {}

  say(words: string): void {
    clearTimeout(this.#timer);
    this.element.textContent = words;
    this.element.classList.add('shown');
    this.#timer = setTimeout(() => this.element.classList.remove('shown'), SHOWN_MS);
  }
}
