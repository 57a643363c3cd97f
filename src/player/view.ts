import type { Rung } from './engine.js';
import type { PlayerError } from './errors.js';
import { PLAYER_CSS } from './styles.js';

const MARKUP = `
<video part="video" controls playsinline preload="metadata"></video>
<div class="spinner" part="spinner" hidden></div>
<label class="quality" part="quality" hidden><select aria-label="Quality"></select></label>
<div class="message" part="message" role="alert" hidden>
  <strong></strong><span></span><button type="button" part="retry">Try again</button>
</div>`;

/** What the element shows, and nothing of why: state goes in, the viewer's two wishes come out. */
export class PlayerView {
  readonly video: HTMLVideoElement;
  readonly #spinner: HTMLElement;
  readonly #quality: HTMLElement;
  readonly #select: HTMLSelectElement;
  readonly #message: HTMLElement;
  readonly #retry: HTMLButtonElement;

  constructor(root: ShadowRoot, wishes: { onRetry: () => void; onPin: (index: number) => void }) {
    // A constructed sheet needs no permission from the page's content security policy.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(PLAYER_CSS);
    root.adoptedStyleSheets = [sheet];
    const template = document.createElement('template');
    template.innerHTML = MARKUP;
    root.append(template.content);

    this.video = part(root, 'video', HTMLVideoElement);
    this.#spinner = part(root, '.spinner', HTMLElement);
    this.#quality = part(root, '.quality', HTMLElement);
    this.#select = part(root, 'select', HTMLSelectElement);
    this.#message = part(root, '.message', HTMLElement);
    this.#retry = part(root, 'button', HTMLButtonElement);
    this.#retry.addEventListener('click', wishes.onRetry);
    this.#select.addEventListener('change', () => wishes.onPin(Number(this.#select.value)));
  }

  showLoading(loading: boolean): void {
    this.#spinner.hidden = !loading;
  }

  /** One rung is no choice, so there is no menu for it. */
  showRungs(rungs: readonly Rung[]): void {
    const choices = [{ index: -1, label: 'Auto' }, ...rungs];
    this.#select.replaceChildren(...choices.map(({ index, label }) => new Option(label, String(index))));
    this.#quality.hidden = rungs.length < 2;
  }

  showError(error: PlayerError | undefined): void {
    this.#message.hidden = error === undefined;
    this.video.inert = error !== undefined;
    part(this.#message, 'strong', HTMLElement).textContent = error?.title ?? '';
    part(this.#message, 'span', HTMLElement).textContent = error?.advice ?? '';
    this.#retry.hidden = !error?.retry;
    if (error) this.showRungs([]);
  }
}

function part<E extends HTMLElement>(root: ParentNode, selector: string, kind: new () => E): E {
  const found = root.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`the player's markup has no ${selector}`);
  return found;
}
