/**
 * Videos that are encoded, and now stored and settled: the next ones are encoded beside it. No more of them at once than
 * there are slots: a store that is slow must not collect videos in this worker's hands that another one could make.
 */
export class Endings {
  private count = 0;

  constructor(private readonly max: number) {}

  /**
   * @param letGo called when the work says that it is at its end, if there is room for one more
   * @param work is given what to call then
   */
  async use<T>(letGo: () => void, work: (onEnd: () => void) => Promise<T>): Promise<T> {
    let isEnding = false;
    let isOver = false;
    const onEnd = (): void => {
      if (isEnding || isOver || this.count >= this.max) return;
      isEnding = true;
      this.count += 1;
      letGo();
    };
    try {
      return await work(onEnd);
    } finally {
      isOver = true;
      if (isEnding) this.count -= 1;
    }
  }
}
