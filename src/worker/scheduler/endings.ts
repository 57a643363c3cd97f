/**
 * Counts videos that are encoded and now being stored and settled, while the next ones are encoded. There are at most
 * as many as slots: with a slow store, this worker must not hold videos that another worker could process.
 */
export class Endings {
  private count = 0;

  constructor(private readonly max: number) {}

  /**
   * @param letGo called when the work reports that its encode is over, if one more may start
   * @param work receives the function that reports it
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
