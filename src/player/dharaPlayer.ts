import type { DharaPlayerElement, DharaPlayerEventMap, Manifest, PlayerState, Quality, TokenProvider } from './api.js';
import type { TokenReason } from './api.js';
import { PlayerError } from './errors.js';
import { isOn, mirror, ofFlag, ofText, ofVideo } from './mirrors.js';
import { Session } from './session.js';
import { loadAnalytics, scriptUrl } from './surroundings.js';
import { renderMarkup } from './ui/markup.js';
import { adoptStyles } from './ui/styles.js';
import { PlayerUi } from './ui/ui.js';

/** The events of `<video>` that the element repeats, so that a page can listen to it as to a `<video>`. */
const MEDIA_EVENTS =
  'loadstart loadedmetadata loadeddata canplay canplaythrough durationchange progress suspend stalled emptied play playing pause waiting seeking seeked ended timeupdate volumechange ratechange resize enterpictureinpicture leavepictureinpicture'.split(
    ' ',
  );

/** React and Vue write properties as attributes if the element is not defined yet. */
const TOLD_BY_FRAMEWORKS = ['volume', 'playbackRate', 'currentTime', 'quality'] as const;

// Importing this module on a server must not fail.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/** `<dhara-player token="…">`. README.md beside this file lists its attributes, parts, properties and events. */
export class DharaPlayer extends Base implements DharaPlayerElement {
  static readonly observedAttributes = ['token', 'src', 'poster', 'muted', 'loop', 'title'];

  // Defined below the class: properties that mirror the `<video>` or an attribute.
  declare muted: boolean;
  declare volume: number;
  declare readonly duration: number;
  declare readonly ended: boolean;
  declare readonly seeking: boolean;
  declare readonly buffered: TimeRanges;
  declare readonly textTracks: TextTrackList;
  declare token: string | null;
  declare poster: string | null;
  declare autoplay: boolean;
  declare loop: boolean;

  readonly video: HTMLVideoElement;
  readonly #session: Session;
  readonly #ui: PlayerUi;
  #tokenProvider: TokenProvider | null = null;
  /**
   * True while attributes and properties take effect at once: in a page, after those set before the script were
   * applied.
   */
  #isLive = false;
  /** What it has told of this view since the last `measure`, for analytics, which may load later. */
  #missed: Event[] = [];
  /** What it played when it was removed from the page. */
  #left: { readonly token: string | null; readonly src: string | null } | undefined;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    adoptStyles(root);
    const find = renderMarkup(root);
    this.video = find('video') as HTMLVideoElement;
    this.#session = new Session(this.video, {
      api: () => this.api,
      token: () => this.token,
      embedder: () => this.getAttribute('embedder'),
      src: () => this.getAttribute('src'),
      startSeconds: () => Number(this.getAttribute('start-time')) || 0,
      freshToken: (reason) => this.#freshToken(reason),
      // Without analytics, the video plays all the same.
      onWish: (isWanted, atMs = performance.now()) =>
        void loadAnalytics().then(
          ({ measure }) => measure(this, isWanted, atMs, this.#missed),
          () => undefined,
        ),
      onState: (state, error) => this.#onState(state, error),
      onManifest: (manifest) => this.#onManifest(manifest),
      onQuality: () => this.#emit('qualitychange', { quality: this.#session.shown, auto: !this.#session.pinned }),
    });
    this.#ui = new PlayerUi(this, this.#session, find, (language) => this.#emit('captionschange', { language }));
    for (const type of MEDIA_EVENTS) this.video.addEventListener(type, () => this.#repeat(type));
    this.addEventListener('fullscreenchange', () => this.#ui.sync());
  }

  get tokenProvider(): TokenProvider | null {
    return this.#tokenProvider;
  }
  set tokenProvider(provider: TokenProvider | null) {
    this.#tokenProvider = provider;
    if (provider && this.#isLive && this.state === 'idle') this.#begin();
  }
  get api(): string {
    const given = this.getAttribute('api');
    if (given) return given;
    const own = URL.canParse(scriptUrl) ? new URL(scriptUrl).origin : 'null';
    return own === 'null' ? location.origin : own;
  }
  set api(api: string) {
    this.setAttribute('api', api);
  }
  get playbackRate(): number {
    return this.video.playbackRate;
  }
  set playbackRate(rate: number) {
    // Loading resets the rate to the default.
    this.video.defaultPlaybackRate = rate;
    this.video.playbackRate = rate;
  }
  get currentTime(): number {
    return this.#session.hasStream ? this.video.currentTime : (this.#session.resumeAtSeconds ?? 0);
  }
  set currentTime(seconds: number) {
    this.#session.resumeAtSeconds = seconds;
    if (this.#session.hasStream) this.video.currentTime = seconds;
    this.#ui.sync();
  }
  get quality(): number | 'auto' {
    return this.#session.pinned?.height ?? 'auto';
  }
  set quality(quality: number | 'auto') {
    const rendition = typeof quality === 'number' ? { height: quality, label: `${quality}p` } : null;
    this.#session.pin(this.qualities.find(({ height }) => height === quality) ?? rendition);
  }
  get qualities(): readonly Quality[] {
    return this.#session.qualities;
  }
  get paused(): boolean {
    return this.video.paused && !(this.state === 'loading' && this.#session.wantsToPlay);
  }
  get state(): PlayerState {
    return this.#session.state;
  }
  get manifest(): Manifest | null {
    return this.#session.manifest;
  }
  get viewId(): string | null {
    return this.#session.viewId;
  }

  play(): Promise<void> {
    return this.#session.play();
  }

  pause(): void {
    this.#session.pause();
    this.#ui.sync();
  }

  load(): void {
    this.#session.reset();
    this.#missed = [];
    this.#ui.captions.clear();
    this.#ui.showManifest(null, null);
    this.#begin();
  }

  connectedCallback(): void {
    for (const name of Object.keys(this)) this.#adopt(name);
    if (!this.#isLive && !this.#left) for (const name of TOLD_BY_FRAMEWORKS) this.#readAttribute(name);
    this.setAttribute('state', this.state);
    addEventListener('online', this.#goOnline);
    this.#isLive = true;
    const { token, src } = this.#left ?? this.#source;
    this.#left = undefined;
    const isNew = src !== this.#source.src || (token !== this.token && this.#session.isForAnother(this.token));
    if (isNew) this.load();
    else this.#begin();
  }

  disconnectedCallback(): void {
    // If it was moved within the page, it is connected again already.
    if (this.isConnected) return;
    removeEventListener('online', this.#goOnline);
    this.#isLive = false;
    this.#left = this.#source;
    this.#session.suspend();
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return;
    if (name === 'muted') this.video.muted = isOn(after);
    else if (name === 'loop') this.video.loop = isOn(after);
    else if (name === 'poster') this.#showPoster(after);
    else if (name === 'title') this.#ui.showTitle(after ?? this.manifest?.title ?? '');
    else if (!this.#isLive) return;
    else if (name === 'src' || this.#session.isForAnother(after)) this.load();
    else if (this.state === 'error') this.#resume();
  }

  get #source() {
    return { token: this.token, src: this.getAttribute('src') };
  }

  readonly #goOnline = (): void => {
    if (this.#session.error?.code === 'NETWORK') this.#resume();
  };

  #resume(): void {
    this.#session.resume().catch(() => undefined);
  }

  /** Does what happens without pressing play. */
  #begin(): void {
    const { manifest } = this;
    this.#showPoster(this.poster ?? manifest?.posterUrl ?? null);
    this.#ui.showTitle(this.title || (manifest?.title ?? ''));
    const depth = this.getAttribute('preload');
    const hasSource = this.token !== null || this.getAttribute('src') !== null || this.tokenProvider !== null;
    let done: Promise<void> | undefined;
    // A browser may refuse to play with sound before a click. Then the play button stays.
    if (!hasSource) return;
    if (this.autoplay) done = this.play();
    else if (depth === 'auto') done = this.#session.open();
    else if (depth === 'metadata' && !this.getAttribute('src')) done = this.#session.preload();
    // The error is shown on screen and an event has reported it.
    done?.catch(() => undefined);
  }

  async #freshToken(reason: TokenReason): Promise<string | null> {
    let offered: Promise<string> | string | undefined;
    try {
      if (this.tokenProvider) offered = this.tokenProvider(reason);
      else this.#emit('dhara-token-needed', { reason, provide: (token) => void (offered = token) });
      return (await offered) || null;
    } catch (cause) {
      throw new PlayerError('SERVICE_UNAVAILABLE', { cause });
    }
  }

  #onManifest(manifest: Manifest): void {
    if (!this.poster) this.#showPoster(manifest.posterUrl);
    this.#ui.showTitle(this.title || manifest.title);
    this.#ui.showManifest(manifest, this.querySelector('track[kind=chapters]')?.getAttribute('src') ?? null);
    this.#emit('manifest', manifest);
  }

  #onState(state: PlayerState, error: PlayerError | null): void {
    this.#ui.showState(state, error);
    if (this.isConnected) this.setAttribute('state', state);
    if (state === 'ready') this.#addCaptions();
    this.#emit('statechange', { state });
    if (error) this.#emit('error', { code: error.code, message: error.message });
  }

  #addCaptions(): void {
    this.#ui.captions.addFrom(this.manifest);
    for (const track of this.querySelectorAll<HTMLTrackElement>('track:not([kind=chapters])')) {
      this.#ui.captions.add(track.src, track.srclang, track.label, track.kind);
    }
    const language = this.getAttribute('captions');
    if (language) this.#ui.captions.choose(language);
  }

  #showPoster(address: string | null): void {
    if (address) this.video.poster = address;
    else this.video.removeAttribute('poster');
  }

  #repeat(type: string): void {
    this.toggleAttribute('paused', this.video.paused);
    this.#ui.sync(type);
    this.dispatchEvent(new Event(type));
  }

  /** A property that a page set before this script ran hides the real one. Applies it and removes it. */
  #adopt(name: string): void {
    if (!(name in DharaPlayer.prototype)) return;
    const own = this as unknown as Record<string, unknown>;
    const given = own[name];
    delete own[name];
    own[name] = given;
  }

  #readAttribute(name: (typeof TOLD_BY_FRAMEWORKS)[number]): void {
    const given = this.getAttribute(name);
    if (given) this[name] = (given === 'auto' ? given : Number(given)) as never;
  }

  #emit<Type extends keyof DharaPlayerEventMap>(type: Type, detail: DharaPlayerEventMap[Type]['detail']): void {
    const event = new CustomEvent(type, { detail });
    this.#missed.push(event);
    this.dispatchEvent(event);
  }
}

mirror(DharaPlayer.prototype, 'muted volume duration ended seeking buffered textTracks', ofVideo);
mirror(DharaPlayer.prototype, 'token poster', ofText);
mirror(DharaPlayer.prototype, 'autoplay loop', ofFlag);
