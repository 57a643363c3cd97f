import type { Page } from 'playwright-core';

/** What was on the screen of one viewer. */
export interface Seen {
  /** From the click until the picture moved; 0 if it never did. */
  readonly startupMs: number;
  readonly watchedMs: number;
  readonly stalledMs: number;
  readonly stalls: number;
  /** How often the height of the picture changed after it had started. */
  readonly switches: number;
  readonly hasEnded: boolean;
  /** How long each hundredth of the video was on screen. */
  readonly hundredthsMs: readonly number[];
}

const STORED = 'seen';

/**
 * Watches the `<video>` frame by frame, knowing nothing of the player: which frame is presented when, where the position is,
 * and whether it moves. `seenAfter` says what it has seen once the page is left.
 *
 * @returns a function that says what was seen until then
 */
export async function observe(page: Page): Promise<() => Promise<Seen>> {
  await page.evaluate((stored) => {
    const { video } = document.querySelector('dhara-player')!;
    const STILL_MS = 100;
    /** The frames that tell when the picture began to move. */
    const START_MS = 500;
    const seen = {
      startupMs: 0,
      watchedMs: 0,
      stalledMs: 0,
      stalls: 0,
      switches: 0,
      hasEnded: false,
      hundredthsMs: Array<number>(100).fill(0),
    };
    let clickedAtMs = 0;
    addEventListener('click', () => (clickedAtMs ||= performance.now()), { capture: true });

    /** The position of the last frame. A seek leaves it. */
    let framePosition: number | null = null;
    /** How far the picture has moved since its first frame. */
    let movedMs = 0;
    const present = (_nowMs: number, { mediaTime, presentationTime }: VideoFrameCallbackMetadata): void => {
      video.requestVideoFrameCallback(present);
      if (framePosition !== null) movedMs += Math.max(0, (mediaTime - framePosition) * 1000);
      framePosition = mediaTime;
      if (movedMs === 0 || movedMs > START_MS) return;
      // The picture may have stood still for long before. A busy machine shows frames late, but none too early.
      const startupMs = presentationTime - movedMs - clickedAtMs;
      seen.startupMs = seen.startupMs === 0 ? startupMs : Math.min(seen.startupMs, startupMs);
    };
    video.requestVideoFrameCallback(present);
    video.addEventListener('seeking', () => (framePosition = null));

    let [atMs, position, stillMs, height] = [performance.now(), 0, 0, 0];
    /** After a seek, a picture that stands still is not a stall until it has moved. */
    let hasMoved = false;
    const look = (): void => {
      const nowMs = performance.now();
      const passedMs = nowMs - atMs;
      const from = position;
      [atMs, position] = [nowMs, video.currentTime];
      const movedMs = (position - from) * 1000;
      seen.hasEnded ||= video.ended;
      if (video.seeking || movedMs < 0 || movedMs > passedMs + 500) hasMoved = false;
      else if (movedMs > 0) {
        hasMoved = true;
        seen.watchedMs += movedMs;
        const hundredth = Math.min(99, Math.floor((((from + position) / 2) * 100) / video.duration));
        seen.hundredthsMs[hundredth]! += movedMs;
      }
      if (video.videoHeight > 0) {
        if (seen.startupMs > 0 && height > 0 && video.videoHeight !== height) seen.switches += 1;
        height = video.videoHeight;
      }
      // A busy machine can hold up a picture, too; then the data is there.
      const lacksData = video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
      const isStill = movedMs === 0 && lacksData && hasMoved && !video.paused && !video.ended;
      const wasStill = stillMs >= STILL_MS;
      stillMs = isStill ? stillMs + passedMs : 0;
      if (stillMs < STILL_MS) return;
      if (!wasStill) seen.stalls += 1;
      seen.stalledMs += wasStill ? passedMs : stillMs;
    };
    const lookAgain = (): void => {
      look();
      requestAnimationFrame(lookAgain);
    };
    requestAnimationFrame(lookAgain);
    addEventListener('pagehide', () => {
      look();
      sessionStorage.setItem(stored, JSON.stringify(seen));
    });
    Object.assign(globalThis, { [stored]: seen });
  }, STORED);
  return () => page.evaluate((stored) => (globalThis as unknown as Record<string, Seen>)[stored]!, STORED);
}

/** Leaves an observed page for another one of its site. Returns what was seen until then. */
export async function seenAfter(page: Page, nextAddress: string): Promise<Seen> {
  await page.goto(nextAddress);
  const text = await page.evaluate((stored) => sessionStorage.getItem(stored), STORED);
  return JSON.parse(text ?? 'null') as Seen;
}
