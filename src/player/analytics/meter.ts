import type { PlayerErrorCode } from '../api.js';

/** What the meter reads of a `<video>`. */
export type Screen = Pick<
  HTMLVideoElement,
  'currentTime' | 'duration' | 'ended' | 'loop' | 'paused' | 'playbackRate' | 'seeking' | 'videoHeight'
>;

/** What happened since the view began. docs/analytics.md explains each number. */
export interface Facts {
  /** From the request to play until the first frame. Null before it. */
  readonly startupMs: number | null;
  /** How long the picture moved. */
  readonly watchedMs: number;
  /** How long the picture stood still for lack of data, after the first frame and apart from seeks. */
  readonly stalledMs: number;
  /** Stalls of a tenth of a second or more. Viewers do not notice shorter ones, and their time does not count. */
  readonly stalls: number;
  /** Changes of rendition. */
  readonly switches: number;
  readonly ranges: readonly Range[];
  readonly errors: readonly { readonly code: PlayerErrorCode; readonly atMs: number }[];
  readonly ended: boolean;
}

/** The events of `<video>` that the meter takes. */
export const METERED = 'play playing timeupdate waiting seeking pause ended ratechange resize emptied'.split(' ');

const MAX_ERRORS = 10;
/** More than a position can run ahead of the clock. Whatever is further away was a jump. */
const JUMP_MS = 1_000;
/** Less than the time between two `timeupdate` events, and more than the rounding of a position. */
const MOTION_MS = 100;
const SHORTEST_STALL_MS = 100;

/** Measures one view from the events of its `<video>`. It knows nothing of engines: the events are the same in all. */
export class Meter {
  #state: 'idle' | 'moving' | 'stalled' | 'seeking' = 'idle';
  #wishedAtMs: number | null = null;
  #startupMs: number | null = null;
  #watchedMs = 0;
  #stalledMs = 0;
  #stalls = 0;
  /** Of the current stall. */
  #stillMs = 0;
  #switches = 0;
  #ranges: readonly Range[] = [];
  #errors: { code: PlayerErrorCode; atMs: number }[] = [];
  #ended = false;
  #height = 0;
  /** The stream is being loaded, which may seek to where it broke off. */
  #isLoading = false;
  // At the last event:
  #atMs = 0;
  #positionMs = 0;
  #rate: number;

  constructor(
    private readonly screen: Screen,
    private readonly nowMs: () => number,
  ) {
    this.#atMs = nowMs();
    this.#positionMs = Math.round(screen.currentTime * 1000);
    this.#rate = screen.playbackRate;
  }

  /** Null before anyone wanted to play: a page that only loads a video watches nothing. */
  get facts(): Facts | null {
    if (this.#wishedAtMs === null && this.#startupMs === null) return null;
    return {
      startupMs: this.#startupMs,
      watchedMs: Math.round(this.#watchedMs),
      stalledMs: Math.round(this.#stalledMs),
      stalls: this.#stalls,
      switches: this.#switches,
      ranges: this.#ranges,
      errors: this.#errors,
      ended: this.#ended,
    };
  }

  /** Playback was requested at this time. */
  wish(atMs: number): void {
    if (this.#startupMs === null) this.#wishedAtMs ??= atMs;
  }

  /** What the browser played before this began to measure. A stall in that time counts as part of the startup. */
  catchUp(played: TimeRanges): void {
    for (let at = 0; at < played.length; at += 1) {
      const fromMs = Math.round(played.start(at) * 1000);
      const toMs = Math.round(played.end(at) * 1000);
      this.#ranges = addRange(this.#ranges, fromMs, toMs);
      this.#watchedMs += (toMs - fromMs) / this.#rate;
    }
    if (this.#watchedMs > 0) this.#move(this.#watchedMs);
    if (this.screen.paused) this.#state = 'idle';
    this.#ended = this.screen.ended;
  }

  /** Playback is no longer requested. */
  unwish(): void {
    this.rest();
    this.#wishedAtMs = null;
  }

  /** The viewer waits for the stream. */
  load(): void {
    this.#advance(false);
    this.#isLoading = true;
    if (this.#startupMs !== null) this.#stall();
    else this.#state = 'idle';
  }

  /** Nothing moves, and nobody waits. */
  rest(): void {
    this.#advance(false);
    this.#state = 'idle';
  }

  fail(code: PlayerErrorCode): void {
    if (this.#errors.length < MAX_ERRORS) this.#errors.push({ code, atMs: this.#positionMs });
    this.rest();
  }

  /** Takes one of the METERED events. Any other type counts the time until now. */
  take(type: string): void {
    const ranMs = this.#advance(type === 'seeking' || this.screen.seeking);
    const { paused, ended, videoHeight } = this.screen;
    if (type === 'play') this.wish(this.#atMs);
    // Some browsers forget `playing`, but the position tells.
    if (type === 'playing' || (type === 'timeupdate' && ranMs >= MOTION_MS && !paused)) this.#move(ranMs);
    if (type === 'waiting' && this.#startupMs !== null && this.#state !== 'seeking' && !paused && !ended) this.#stall();
    if (type === 'pause' || type === 'ended' || (type === 'emptied' && !this.#isLoading)) this.#state = 'idle';
    if (type === 'ended') this.#ended = true;
    if (type === 'emptied') this.#height = 0;
    if (type === 'resize' && videoHeight > 0) {
      if (this.#startupMs !== null && this.#height > 0 && videoHeight !== this.#height) this.#switches += 1;
      this.#height = videoHeight;
    }
  }

  /** @param ranMs how long it has moved already: browsers say so a few frames late */
  #move(ranMs: number): void {
    this.#isLoading = false;
    const startedAtMs = this.#atMs - ranMs;
    this.#startupMs ??= Math.max(0, Math.round(startedAtMs - (this.#wishedAtMs ?? startedAtMs)));
    this.#state = 'moving';
  }

  #stall(): void {
    if (this.#state !== 'stalled') this.#stillMs = 0;
    this.#state = 'stalled';
  }

  #standStill(ms: number): void {
    const wasShort = this.#stillMs < SHORTEST_STALL_MS;
    this.#stillMs += ms;
    if (this.#stillMs < SHORTEST_STALL_MS) return;
    if (wasShort) this.#stalls += 1;
    this.#stalledMs += wasShort ? this.#stillMs : ms;
  }

  /** Adds the time since the last event to what happened meanwhile. Returns how long the picture moved, 0 if it jumped. */
  #advance(isSeek: boolean): number {
    const { currentTime, duration, loop, paused } = this.screen;
    const atMs = this.nowMs();
    const passedMs = atMs - this.#atMs;
    const fromMs = this.#positionMs;
    const endMs = Math.round(duration * 1000) || Infinity;
    const positionMs = Math.round(currentTime * 1000);
    // A seek has moved the position already, and an unloaded stream has none. Until then, the picture moved.
    const hasLeft = isSeek || positionMs < fromMs;
    const reachedMs = hasLeft ? fromMs + Math.min(passedMs, JUMP_MS) * this.#rate : positionMs;
    const toMs = Math.min(Math.round(reachedMs), endMs);
    const hasJumped = toMs - fromMs > passedMs * this.#rate + JUMP_MS || (hasLeft && this.#state !== 'moving');
    const ranMs = hasJumped || toMs <= fromMs ? 0 : Math.min(passedMs, (toMs - fromMs) / this.#rate);

    if (this.#state === 'stalled') this.#standStill(passedMs - ranMs);
    if (ranMs > 0) {
      this.#watchedMs += ranMs;
      this.#ranges = addRange(this.#ranges, fromMs, toMs);
    }
    // A loop begins again without an `ended` event.
    if (this.#state === 'moving' && isSeek && loop && toMs > endMs - JUMP_MS) this.#ended = true;
    // An engine steps over a gap in the stream; a viewer seeks further.
    const isGap = this.#isLoading || (positionMs >= fromMs && positionMs - fromMs < JUMP_MS);
    if (isSeek && !(isGap && this.#state === 'stalled')) this.#state = paused ? 'idle' : 'seeking';
    this.#atMs = atMs;
    this.#positionMs = positionMs;
    this.#rate = this.screen.playbackRate;
    return hasLeft ? 0 : ranMs;
  }
}

/** A stretch of the video, in whole milliseconds. */
export type Range = readonly [fromMs: number, toMs: number];

const MAX_RANGES = 64;

/** Adds a stretch to disjoint ranges, in ascending order. Joins the two closest ranges when there are too many. */
export function addRange(ranges: readonly Range[], fromMs: number, toMs: number): readonly Range[] {
  let [from, to] = [fromMs, toMs];
  const apart = ranges.filter((range) => {
    const touches = range[0] <= toMs && range[1] >= fromMs;
    if (touches) [from, to] = [Math.min(from, range[0]), Math.max(to, range[1])];
    return !touches;
  });
  const all: Range[] = [...apart, [from, to] as const].sort((a, b) => a[0] - b[0]);
  if (all.length > MAX_RANGES) {
    const gaps = all.slice(1).map((range, at) => range[0] - all.at(at)![1]);
    const at = gaps.indexOf(Math.min(...gaps));
    all.splice(at, 2, [all.at(at)![0], all.at(at + 1)![1]]);
  }
  return all;
}
