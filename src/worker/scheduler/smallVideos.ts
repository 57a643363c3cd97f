import { once } from '../../domain/shared/once.js';

/**
 * Small videos leave cores idle while their programs start one after the other and shut down. So beside the video in
 * each slot, one small video runs that has given up its own slot.
 */
export class SmallVideos {
  private count = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  /**
   * @param letGo called as soon as there is a place beside the slots; never after the end
   * @param work may report that its encode is over before it ends
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
