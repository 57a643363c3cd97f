import fc from 'fast-check';
import { expect, it } from 'vitest';

import { SizedLru } from '../../src/domain/shared/sizedLru.js';

const MAX_SIZE = 10;

/** The same, in the plainest way: the oldest comes first. */
class Model {
  private entries: { name: string; value: number; size: number }[] = [];

  get(name: string): number | undefined {
    const found = this.entries.find((entry) => entry.name === name);
    if (found) this.entries = [...this.entries.filter((entry) => entry !== found), found];
    return found?.value;
  }

  set(name: string, value: number, size: number): void {
    this.delete(name);
    if (size > MAX_SIZE) return;
    this.entries.push({ name, value, size });
    while (this.entries.reduce((total, entry) => total + entry.size, 0) > MAX_SIZE) this.entries.shift();
  }

  delete(name: string): boolean {
    const before = this.entries.length;
    this.entries = this.entries.filter((entry) => entry.name !== name);
    return this.entries.length < before;
  }

  has(name: string): boolean {
    return this.entries.some((entry) => entry.name === name);
  }
}

it('a cache keeps what was used last, up to its size, whatever was done before', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const name = fc.constantFrom(...names);
  const step = fc.oneof(
    fc.record({ action: fc.constant('get' as const), name }),
    fc.record({ action: fc.constant('delete' as const), name }),
    fc.record({ action: fc.constant('set' as const), name, value: fc.nat(), size: fc.integer({ min: 0, max: 11 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [cache, model] = [new SizedLru<number>(MAX_SIZE), new Model()];
      for (const one of steps) {
        if (one.action === 'get') expect(cache.get(one.name)).toBe(model.get(one.name));
        else if (one.action === 'delete') expect(cache.delete(one.name)).toBe(model.delete(one.name));
        else {
          cache.set(one.name, one.value, one.size);
          model.set(one.name, one.value, one.size);
        }
        expect(names.filter((other) => cache.has(other))).toEqual(names.filter((other) => model.has(other)));
      }
    }),
    { numRuns: 2_000 },
  );
});
