import type { DharaPlayerElement, DharaPlayerEventMap, PlayerState } from '../api.js';
import { Meter, METERED } from './meter.js';

const EVERY_MS = 10_000;
const nowMs = (): number => performance.now();
const measured = new WeakMap<DharaPlayerElement, Analytics>();

/**
 * Playback of this element was requested at this time, or is no longer requested.
 *
 * @param missed the player's events since the last call; emptied
 */
export function measure(player: DharaPlayerElement, isWanted: boolean, atMs: number, missed: Event[]): void {
  const known = measured.get(player);
  const analytics = known ?? new Analytics(player);
  measured.set(player, analytics);
  analytics.wish(isWanted, atMs);
  const events = missed.splice(0);
  if (!known) analytics.catchUp(events);
}

/**
 * Tells the service how a view goes: at the first frame, every ten seconds, and whenever the viewer pauses, reaches the
 * end, leaves, or sees an error. Each report repeats everything since the view began, so any may be lost.
 *
 * It is a separate chunk, loaded when somebody wants to play, and learns the rest from the events of the element. So it
 * imports only types from the player's other modules.
 */
class Analytics implements EventListenerObject {
  #meter: Meter;
  /** Where the reports of this view go: beside its playlist, whose address is the permission. */
  #address: string | null = null;
  #isWanted = false;
  /** The page forbade reports at some time during this view. */
  #isSilent = false;
  #wishedAtMs = 0;
  #seq = 0;
  #sent = '';
  #sentAtMs = 0;

  constructor(private readonly player: DharaPlayerElement) {
    this.#meter = new Meter(player.video, nowMs);
    for (const type of METERED) player.video.addEventListener(type, this);
    for (const type of ['manifest', 'statechange', 'error']) player.addEventListener(type, this);
    this.#watchPage(true);
  }

  /** What happened before this code was loaded. */
  catchUp(events: readonly Event[]): void {
    for (const event of events) if (/^(manifest|error)$/.test(event.type)) this.handleEvent(event);
    this.#meter.catchUp(this.player.video.played);
    if (this.#hasStarted) this.#send();
  }

  /** Playback was requested at this time, or is no longer requested. */
  wish(isWanted: boolean, atMs: number): void {
    this.#isWanted = isWanted;
    if (isWanted) {
      this.#wishedAtMs = atMs;
      this.#meter.wish(atMs);
      if (this.player.state === 'loading') this.#meter.load();
      return;
    }
    // A viewer who gives up while the stream loads leaves before the first frame. A browser that refuses to play does so later.
    if (this.player.state === 'loading') this.#send();
    this.#meter.unwish();
  }

  handleEvent(event: Event): void {
    const { type } = event;
    this.#heedPage();
    const hadStarted = this.#hasStarted;
    if (type === 'manifest') this.#open((event as DharaPlayerEventMap['manifest']).detail.url);
    else if (type === 'error') this.#meter.fail((event as DharaPlayerEventMap['error']).detail.code);
    else if (type === 'statechange') this.#follow(this.player.state);
    else this.#meter.take(type);

    const isDue = type === 'timeupdate' && nowMs() - this.#sentAtMs >= EVERY_MS;
    const isLast = /^(ended|pagehide|error)$/.test(type) || (type === 'pause' && !this.player.ended);
    const isHidden = type === 'visibilitychange' && document.hidden;
    if (isDue || isLast || isHidden || this.#hasStarted !== hadStarted) this.#send();
  }

  #follow(state: PlayerState): void {
    if (state === 'loading') {
      this.#watchPage(true);
      this.#meter.rest();
      this.#send();
      if (!this.#isWanted) return;
      this.#meter.wish(nowMs());
      this.#meter.load();
    }
    // The video is still being processed, which is no startup.
    if (state === 'waiting') this.#meter.unwish();
    if (state !== 'idle') return;
    this.#meter.rest();
    this.#send();
    this.#watchPage(false);
    // The element keeps its manifest when it leaves the page.
    if (this.player.manifest === null) this.#begin(null);
  }

  /** A token was exchanged for this playlist. A playlist with another grant is another view. */
  #open(playlistUrl: string): void {
    const address = new URL('report', new URL(playlistUrl, document.baseURI)).href;
    if (this.#address === null) this.#address = address;
    if (address !== this.#address) this.#begin(address);
  }

  /** Another view. What was measured since the last report belongs to none: the viewer waited. */
  #begin(address: string | null): void {
    this.#address = address;
    this.#meter = new Meter(this.player.video, nowMs);
    if (this.#isWanted) this.#meter.wish(this.#wishedAtMs);
    this.#isSilent = false;
    this.#seq = 0;
    this.#sent = '';
  }

  /** Notices when the viewer leaves the page. */
  #watchPage(isOn: boolean): void {
    for (const type of ['pagehide', 'visibilitychange']) {
      if (isOn) addEventListener(type, this);
      else removeEventListener(type, this);
    }
  }

  get #hasStarted(): boolean {
    return typeof this.#meter.facts?.startupMs === 'number';
  }

  #heedPage(): void {
    this.#isSilent ||= ['off', 'false'].includes(this.player.getAttribute('analytics') ?? '');
  }

  #send(): void {
    this.#heedPage();
    const { facts } = this.#meter;
    const told = JSON.stringify(facts);
    if (!facts || this.#address === null || this.#isSilent || told === this.#sent) return;
    this.#sent = told;
    this.#sentAtMs = nowMs();
    this.#seq += 1;
    const body = JSON.stringify({ v: 1, seq: this.#seq, ...facts });
    // A browser refuses to send when too many reports wait.
    if (navigator.sendBeacon(this.#address, body)) return;
    fetch(this.#address, { method: 'POST', body, keepalive: true, mode: 'no-cors', credentials: 'omit' }).catch(
      () => undefined,
    );
  }
}
