import { startEngine, type Engine } from './engine.js';
import { PlayerError } from './errors.js';
import { exchangeToken, type Manifest } from './exchange.js';
import { PlayerView } from './view.js';

/** The events of `<video>` that the element repeats, so that a page listens to it as it would to a `<video>`. */
const MEDIA_EVENTS =
  'loadstart loadedmetadata loadeddata canplay canplaythrough durationchange progress play playing pause waiting seeking seeked ended timeupdate volumechange ratechange resize'.split(
    ' ',
  );

// Importing this module on a server must not fail; there is nothing to show there.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/**
 * `<dhara-player token="…">`: exchanges a playback token and plays what it is for.
 *
 * Attributes: `token`; `src` (a playlist's address, instead of a token); `poster`; `autoplay`; `muted`; `start-time`
 * in seconds; `base-url`, the service's address where it is not this page's. `state` is set by the element: `idle`,
 * `loading`, `ready` or `error`. Events: those of `<video>`, and `playererror` with `{ code, message }` in `detail`.
 */
export class DharaPlayer extends Base {
  static readonly observedAttributes = ['token', 'src', 'poster', 'muted'];

  readonly #view: PlayerView;
  #engine: Engine | undefined;
  #loading: AbortController | undefined;

  constructor() {
    super();
    this.#view = new PlayerView(this.attachShadow({ mode: 'open' }), {
      onRetry: () => this.load(),
      onPin: (index) => this.#engine?.pin(index),
    });
    for (const type of MEDIA_EVENTS) this.video.addEventListener(type, () => this.#repeat(type));
    this.#setState('idle');
  }

  /** The `<video>` inside, for whatever the element has no attribute for. */
  get video(): HTMLVideoElement {
    return this.#view.video;
  }

  get currentTime(): number {
    return this.video.currentTime;
  }

  set currentTime(seconds: number) {
    this.video.currentTime = seconds;
  }

  play(): Promise<void> {
    return this.video.play();
  }

  pause(): void {
    this.video.pause();
  }

  connectedCallback(): void {
    this.load();
  }

  disconnectedCallback(): void {
    this.#stop();
    this.#setState('idle');
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return;
    if (name === 'muted') this.video.muted = after !== null;
    else if (name === 'poster') this.#showPoster(after);
    else if (this.isConnected) this.load();
  }

  /** Loads the token (or `src`) from the start; whatever played before stops. */
  load(): void {
    this.#stop();
    this.#view.showError(undefined);
    const token = this.getAttribute('token');
    const src = this.getAttribute('src');
    if (!token && !src) return this.#setState('idle');

    this.#setState('loading');
    this.#loading = new AbortController();
    void this.#open(token, src, this.#loading.signal);
  }

  async #open(token: string | null, src: string | null, signal: AbortSignal): Promise<void> {
    try {
      const url = src ?? (await this.#exchange(token ?? '', signal)).url;
      if (signal.aborted) return;
      const engine = await startEngine(this.video, url, {
        onRungs: (rungs) => this.#view.showRungs(rungs),
        onError: (error) => this.#fail(error),
      });
      // A newer load took over while hls.js was on its way.
      if (signal.aborted) return engine.destroy();
      this.#engine = engine;
      this.#begin(signal);
    } catch (error) {
      if (!signal.aborted)
        this.#fail(error instanceof PlayerError ? error : new PlayerError('DECODE', { cause: error }));
    }
  }

  async #exchange(token: string, signal: AbortSignal): Promise<Manifest> {
    const base = this.getAttribute('base-url') ?? location.origin;
    const manifest = await exchangeToken(`${base.replace(/\/+$/, '')}/`, token, signal);
    if (!this.hasAttribute('poster')) this.#showPoster(manifest.posterUrl);
    if (!this.hasAttribute('aria-label')) this.video.setAttribute('aria-label', manifest.title);
    this.dispatchEvent(new CustomEvent('manifest', { detail: manifest }));
    return manifest;
  }

  #begin(signal: AbortSignal): void {
    const startSeconds = Number(this.getAttribute('start-time') ?? 0);
    const ready = (): void => {
      if (startSeconds > 0) this.video.currentTime = startSeconds;
      this.#setState('ready');
      // A browser may refuse to play with sound before a click: then the play button is there.
      if (this.hasAttribute('autoplay')) this.video.play().catch(() => undefined);
    };
    if (this.video.readyState >= HTMLMediaElement.HAVE_METADATA) return ready();
    this.video.addEventListener('loadedmetadata', ready, { once: true, signal });
  }

  #fail(error: PlayerError): void {
    this.#stop();
    this.#view.showError(error);
    this.#setState('error');
    this.dispatchEvent(new CustomEvent('playererror', { detail: { code: error.code, message: error.message } }));
  }

  #stop(): void {
    this.#loading?.abort();
    this.#engine?.destroy();
    this.#engine = undefined;
    this.#view.showRungs([]);
  }

  #showPoster(address: string | null): void {
    if (address) this.video.poster = address;
    else this.video.removeAttribute('poster');
  }

  #repeat(type: string): void {
    this.toggleAttribute('paused', this.video.paused);
    this.dispatchEvent(new Event(type));
  }

  #setState(state: 'idle' | 'loading' | 'ready' | 'error'): void {
    this.#view.showLoading(state === 'loading');
    // Attributes may not be set inside a constructor that the parser runs.
    if (this.isConnected || state !== 'idle') this.setAttribute('state', state);
  }
}
