/**
 * Runs work of the same name one after the other, in the order in which it was asked for. Work that needs the same row lock
 * waits here, where it holds no connection of the database.
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
