/**
 * Runs work of the same name one after the other, in the order in which it was asked for. What would wait for the same row
 * lock in the database waits here instead, where it holds no connection.
 */
export class OneAtATime {
  private readonly last = new Map<string, Promise<void>>();

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(name);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.last.set(name, ended);
    try {
      await before;
      return await work();
    } finally {
      end();
      if (this.last.get(name) === ended) this.last.delete(name);
    }
  }
}
