import type { Manifest, PlayerErrorCode, PlayerState, Quality, TokenReason } from './api.js';
import type { Engine, Sound } from './engine.js';
import { startEngine } from './startEngine.js';
import { PlayerError, playerErrorOf } from './errors.js';
import type { Envelope } from './exchange.js';
import { findManifest, type TokenSource } from './manifestSource.js';

/** If a stream is refused again this soon, a new token did not help. */
const REFRESH_PAUSE_MS = 20_000;
const REFUSED = [401, 403, 410];

/** What the session asks the element for when it needs it. */
export interface SessionHost {
  readonly api: () => string;
  readonly token: () => string | null;
  readonly embedder: () => string | null;
  /** The URL of a playlist, instead of a token. */
  readonly src: () => string | null;
  readonly startSeconds: () => number;
  readonly freshToken: (reason: TokenReason) => Promise<string | null>;
  /** Called when playback is requested, and when it no longer is. */
  readonly onWish: (isWanted: boolean) => void;
  readonly onState: (state: PlayerState, error: PlayerError | null) => void;
  readonly onManifest: (manifest: Manifest) => void;
  readonly onQuality: () => void;
}

/** One `<video>` and what it plays: from the token to the stream, and to a new token when the stream breaks. */
export class Session {
  state: PlayerState = 'idle';
  error: PlayerError | null = null;
  manifest: Manifest | null = null;
  qualities: readonly Quality[] = [];
  /** The rendition on screen. */
  shown: Quality | null = null;
  /** The rendition that the viewer chose. Null lets the player choose. */
  pinned: Quality | null = null;
  /** Where to begin instead of the start time: where playback broke off, or what the page set. Kept until it plays. */
  resumeAtSeconds: number | null = null;
  /** True as soon as playback was requested, even before it starts. */
  wantsToPlay = false;

  #engine: Engine | undefined;
  #opening: { readonly abort: AbortController; readonly done: Promise<void> } | undefined;
  /** From the last manifest. Kept when the next manifest fails. */
  #videoId: string | undefined;
  /** The source of the last manifest that was requested. Kept when that fails, so that the page can name the view. */
  #source: TokenSource | undefined;
  #refreshedAtMs = -Infinity;

  constructor(
    private readonly video: HTMLVideoElement,
    private readonly host: SessionHost,
  ) {
    video.addEventListener('playing', () => (this.resumeAtSeconds = null));
  }

  get hasStream(): boolean {
    return this.#engine !== undefined;
  }

  get viewId(): string | null {
    return claimOf(this.#source?.token, 'jti') ?? null;
  }

  /** Loads the title, poster and duration. @throws PlayerError */
  preload(): Promise<void> {
    return this.#load(async (signal) => {
      await this.#findManifest(signal);
      this.#setState('idle');
    });
  }

  /** Loads the stream without playing it. @throws PlayerError */
  async open(): Promise<void> {
    await this.#opening?.done;
    if (!this.#engine) await this.#load((signal) => this.#open(signal));
  }

  /** @throws PlayerError, or what `<video>.play()` rejects with */
  async play(): Promise<void> {
    this.#wish(true);
    if (!this.#engine) {
      // Apple's browsers let an element play only if it was touched during the click itself, not after a response.
      if (!this.video.currentSrc) this.video.load();
      await this.open();
    }
    if (!this.wantsToPlay) return;
    try {
      await this.video.play();
    } catch (error) {
      if (error instanceof Error && error.name === 'NotAllowedError') this.#wish(false);
      throw error;
    }
  }

  pause(): void {
    this.#wish(false);
    this.video.pause();
  }

  /** Tries again from where playback broke off. */
  async retry(): Promise<void> {
    this.#close();
    await this.play();
  }

  /** Recovers from an error, up to the step that the viewer had requested. */
  async resume(): Promise<void> {
    this.#close();
    await (this.wantsToPlay ? this.play() : this.open());
  }

  /** Unloads the stream. The next play continues in the same place and quality. */
  suspend(): void {
    this.#breakOff();
    this.#wish(false);
    this.#setState('idle');
  }

  /** Forgets everything that was loaded. */
  reset(): void {
    this.#close();
    this.#wish(false);
    this.#videoId = undefined;
    this.#source = undefined;
    this.manifest = null;
    this.pinned = null;
    this.resumeAtSeconds = null;
    this.#setState('idle');
  }

  /** A new token for the current video does not interrupt playback. Returns true if it is for another video. */
  isForAnother(token: string | null): boolean {
    const videoId = claimOf(token, 'sub');
    // The viewer is still waiting for the first token.
    if (this.error && this.wantsToPlay && !this.#videoId) return !videoId;
    return !videoId || videoId !== this.#videoId;
  }

  get sounds(): Sound[] {
    return this.#engine?.sounds() ?? [];
  }

  pin(quality: Quality | null): void {
    this.pinned = quality;
    this.#engine?.pin(quality);
    this.host.onQuality();
  }

  #wish(isWanted: boolean): void {
    this.wantsToPlay = isWanted;
    this.host.onWish(isWanted);
  }

  /** Runs one loading step, which is aborted when the session closes. */
  async #load(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const abort = new AbortController();
    const done = work(abort.signal).catch((error: unknown) => this.#failed(error, abort.signal));
    const opening = { abort, done };
    this.#opening = opening;
    await done.finally(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
  }

  async #open(signal: AbortSignal): Promise<void> {
    this.#setState('loading');
    const url = this.host.src() ?? (await this.#findManifest(signal)).url;
    this.#setState('loading');
    const startSeconds = this.resumeAtSeconds ?? this.host.startSeconds();
    this.video.addEventListener('loadedmetadata', () => this.#setState('ready'), { once: true, signal });
    const engine = await startEngine(this.video, { url, startSeconds }, this.#engineEvents(), signal);
    // A newer load took over while hls.js was being fetched.
    if (signal.aborted) engine.destroy();
    signal.throwIfAborted();
    this.#engine = engine;
    if (this.pinned) engine.pin(this.pinned);
  }

  #engineEvents() {
    return {
      onQualities: (qualities: readonly Quality[]) => {
        this.qualities = qualities;
        if (this.pinned) this.#engine?.pin(this.pinned);
        this.host.onQuality();
      },
      onQuality: (quality: Quality) => {
        this.shown = quality;
        this.host.onQuality();
      },
      onError: (code: PlayerErrorCode, cause?: unknown) => this.#fail(new PlayerError(code, { cause })),
      isRefused: (status: number | undefined, body: () => string) => {
        const isRefused = REFUSED.includes(status ?? 0);
        if (isRefused) this.#refused((parsed(body) as Envelope | undefined)?.error?.code);
        return isRefused;
      },
    };
  }

  async #findManifest(signal: AbortSignal): Promise<Manifest> {
    const known = this.manifest;
    if (known && !(Date.parse(known.expiresAt ?? '') <= Date.now())) return known;
    const { api, token, embedder, freshToken } = this.host;
    const onWaiting = (): void => this.#setState('waiting');
    this.#source = { api: api(), token: token(), embedder: embedder(), freshToken, onWaiting };
    const manifest = await findManifest(this.#source, signal);
    signal.throwIfAborted();
    this.manifest = manifest;
    this.#videoId = manifest.videoId;
    this.host.onManifest(manifest);
    return manifest;
  }

  /** Continues with a new grant if a video was left open for longer than its grant was valid. */
  #refused(code: unknown): void {
    const error = playerErrorOf(code === undefined || code === 'FORBIDDEN' ? 'PLAYBACK_TOKEN_EXPIRED' : code);
    const tooSoon = performance.now() - this.#refreshedAtMs < REFRESH_PAUSE_MS;
    if (error.code !== 'PLAYBACK_TOKEN_EXPIRED' || tooSoon || this.host.src()) {
      this.#fail(error);
      return;
    }
    this.#refreshedAtMs = performance.now();
    this.manifest = null;
    // While the video still has its position: reports say how far it was watched.
    this.#setState('loading');
    this.#breakOff();
    this.resume().catch(() => undefined);
  }

  /** Reports the error, unless the session has moved on. Always throws. */
  #failed(error: unknown, signal: AbortSignal): never {
    if (signal.aborted) throw error;
    const shown = error instanceof PlayerError ? error : new PlayerError('DECODE', { cause: error });
    this.#fail(shown);
    throw shown;
  }

  #fail(error: PlayerError): void {
    this.#breakOff();
    // The old manifest may be the cause.
    this.manifest = null;
    this.#setState('error', error);
  }

  #breakOff(): void {
    const { currentTime, ended } = this.video;
    if (currentTime > 0) this.resumeAtSeconds = ended ? null : currentTime;
    this.#close();
  }

  #close(): void {
    this.#opening?.abort.abort();
    this.#opening = undefined;
    this.#engine?.destroy();
    this.#engine = undefined;
    this.qualities = [];
    this.shown = null;
  }

  #setState(state: PlayerState, error: PlayerError | null = null): void {
    if (state === this.state && state !== 'error') return;
    this.state = state;
    this.error = error;
    this.host.onState(state, error);
  }
}

/** Undefined if it is not JSON. */
function parsed(text: () => string): unknown {
  try {
    return JSON.parse(text());
  } catch {
    return undefined;
  }
}

/**
 * What a playback token says of its video (`sub`) or its view (`jti`), unverified, which is enough to compare or to show
 * it. Undefined if it is not a JWT.
 */
function claimOf(token: string | null | undefined, name: 'sub' | 'jti'): string | undefined {
  const claims = parsed(() => atob(token!.split('.').at(1)!.replaceAll('-', '+').replaceAll('_', '/')));
  return (claims as Record<string, string> | undefined)?.[name];
}
