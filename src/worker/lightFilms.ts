import type { Making } from '../domain/processing/admission.js';
import { rungsFor } from '../domain/processing/ladder.js';
import { framesPerSecond } from '../domain/processing/frameRate.js';
import { once } from './once.js';

/** Of all rungs' frames together: twenty seconds of 480p, which two cores encode in three. */
export const LIGHT_FILM_PIXELS = 250_000_000;

/** Whether a film is so small that what comes before and after its encode counts. */
export function isLight({ quality, probe }: Making, maxPixels = LIGHT_FILM_PIXELS): boolean {
  const pixels = rungsFor(quality, probe).reduce(
    (sum, rung) => sum + (rung.quality === 'audio' ? 0 : rung.width * rung.height * framesPerSecond(rung.frameRate)),
    0,
  );
  return (pixels * probe.durationMs) / 1_000 <= maxPixels;
}

/**
 * Small films leave cores idle: their programs take a while to start, one after the other, and to come to their end. So
 * beside the film in each slot one small film is made, which has let go of its own slot.
 */
export class LightFilms {
  private count = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  /**
   * @param letGo called as soon as there is a place beside the slots, and not after the end
   * @param work may say that its encode is over before it ends
   */
  async use<T>(letGo: () => void, work: (isOver: () => void) => Promise<T>): Promise<T> {
    let isIn = false;
    const enter = (): void => {
      isIn = true;
      this.count += 1;
      letGo();
    };
    if (this.count < this.max) enter();
    else this.waiting.push(enter);
    const leave = once(() => {
      if (isIn) this.count -= 1;
      else this.waiting.splice(this.waiting.indexOf(enter), 1);
      if (this.count < this.max) this.waiting.shift()?.();
    });
    try {
      return await work(leave);
    } finally {
      leave();
    }
  }
}
