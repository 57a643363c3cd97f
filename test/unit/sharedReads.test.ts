import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { SharedReads } from '../../src/domain/shared/sharedReads.js';

/** A statement that returns when the test says so. */
function heldReads(options: { atOnce?: number; few?: number; most?: number }) {
  const asked: { requests: readonly number[]; answer: PromiseWithResolvers<readonly (string | Error)[]> }[] = [];
  const reads = new SharedReads<number, string>((requests) => {
    const answer = Promise.withResolvers<readonly (string | Error)[]>();
    asked.push({ requests, answer });
    return answer.promise;
  }, options);
  return { asked, reads };
}

/** One turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

it('reads that come in one turn share a statement, and later ones share the next, in their order', async () => {
  const { asked, reads } = heldReads({ atOnce: 1 });
  const answers = [1, 2].map((n) => reads.read(n));
  await turn();
  expect(asked.map(({ requests }) => requests)).toEqual([[1, 2]]);
  for (const n of [3, 4]) {
    answers.push(reads.read(n));
    await turn();
  }
  expect(asked).toHaveLength(1);
  asked[0]!.answer.resolve(['one', 'two']);
  await expect.poll(() => asked.length).toBe(2);
  expect(asked[1]!.requests).toEqual([3, 4]);
  asked[1]!.answer.resolve(['three', 'four']);
  expect(await Promise.all(answers)).toEqual(['one', 'two', 'three', 'four']);
});

it('no read waits for a statement while fewer are in flight than allowed', async () => {
  const { asked, reads } = heldReads({ atOnce: 2 });
  for (const n of [1, 2, 3]) {
    void reads.read(n);
    await turn();
  }
  expect(asked.map(({ requests }) => requests)).toEqual([[1], [2]]);
});

describe('while many are in flight', () => {
  // A statement counts as slow after a while: only when a test says so, however long its turns take.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('reads wait until they fill a statement', async () => {
    const { asked, reads } = heldReads({ atOnce: 3, few: 2, most: 3 });
    for (const n of [1, 2]) void reads.read(n);
    await turn();
    for (const n of [3, 4]) {
      void reads.read(n);
      await turn();
    }
    expect(asked.map(({ requests }) => requests)).toEqual([[1, 2]]);
    void reads.read(5);
    await turn();
    expect(asked.map(({ requests }) => requests)).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
  });

  it.each(['answers', 'fails'])('reads wait until fewer are: one statement %s', async (how) => {
    const { asked, reads } = heldReads({ atOnce: 3, few: 2 });
    const first = reads.read(1).catch((error: Error) => error.message);
    for (const n of [2, 3, 4]) {
      await turn();
      void reads.read(n);
    }
    await turn();
    expect(asked.map(({ requests }) => requests)).toEqual([[1], [2]]);
    if (how === 'answers') asked[0]!.answer.resolve(['one']);
    else asked[0]!.answer.reject(new Error('lost'));
    expect(await first).toBe(how === 'answers' ? 'one' : 'lost');
    await turn();
    expect(asked.map(({ requests }) => requests)).toEqual([[1], [2], [3, 4]]);
  });

  it('a slow statement holds up no reads but its own', async () => {
    const { asked, reads } = heldReads({ atOnce: 2, few: 2 });
    for (const n of [1, 2]) void reads.read(n);
    await turn();
    const third = reads.read(3);
    await turn();
    expect(asked.map(({ requests }) => requests)).toEqual([[1, 2]]);
    vi.runAllTimers();
    await turn();
    expect(asked.map(({ requests }) => requests)).toEqual([[1, 2], [3]]);
    asked[1]!.answer.resolve(['three']);
    expect(await third).toBe('three');
    // Those of the slow statement are not subtracted twice: two in flight are many again.
    asked[0]!.answer.resolve(['one', 'two']);
    await turn();
    for (const n of [4, 5]) void reads.read(n);
    await turn();
    void reads.read(6);
    await turn();
    expect(asked.map(({ requests }) => requests)).toEqual([[1, 2], [3], [4, 5]]);
  });
});

it('a statement has a limited number of requests, and the others are in the next one', async () => {
  const { asked, reads } = heldReads({ atOnce: 1, most: 2 });
  const answers = [1, 2, 3, 4, 5].map((n) => reads.read(n));
  for (let nth = 0; nth < 3; nth += 1) {
    await expect.poll(() => asked.length).toBe(nth + 1);
    asked[nth]!.answer.resolve(asked[nth]!.requests.map(String));
  }
  expect(await Promise.all(answers)).toEqual(['1', '2', '3', '4', '5']);
  expect(asked.map(({ requests }) => requests.length)).toEqual([2, 2, 1]);
});

it('what one statement has no place for waits for none if another is allowed', async () => {
  const { asked, reads } = heldReads({ atOnce: 2, most: 2 });
  for (const n of [1, 2, 3]) void reads.read(n);
  await turn();
  await turn();
  expect(asked.map(({ requests }) => requests)).toEqual([[1, 2], [3]]);
});

it('a refusal fails one request, and a failed statement all of its requests', async () => {
  const { asked, reads } = heldReads({ atOnce: 1, most: 2 });
  const answers = [1, 2, 3, 4].map((n) => reads.read(n).catch((error: Error) => error.message));
  await turn();
  asked[0]!.answer.reject(new Error('the connection is lost'));
  await expect.poll(() => asked.length).toBe(2);
  asked[1]!.answer.resolve([new Error('not yours'), 'four']);
  expect(await Promise.all(answers)).toEqual(['the connection is lost', 'the connection is lost', 'not yours', 'four']);
  void reads.read(5);
  await turn();
  expect(asked[2]!.requests).toEqual([5]);
});
