import { expect, it } from 'vitest';

import { SharedReads } from '../../src/domain/shared/sharedReads.js';

/** A statement that returns when the test says so. */
function heldReads(options: { atOnce?: number; most?: number }) {
  const asked: { requests: readonly number[]; answer: PromiseWithResolvers<readonly (string | Error)[]> }[] = [];
  const reads = new SharedReads<number, string>((requests) => {
    const answer = Promise.withResolvers<readonly (string | Error)[]>();
    asked.push({ requests, answer });
    return answer.promise;
  }, options);
  return { asked, reads };
}

it('a single read is sent at once, and later ones share the next statement, in their order', async () => {
  const { asked, reads } = heldReads({ atOnce: 1 });
  const answers = [1, 2, 3].map((n) => reads.read(n));
  expect(asked.map(({ requests }) => requests)).toEqual([[1]]);
  asked[0]!.answer.resolve(['one']);
  await answers[0];
  await expect.poll(() => asked.length).toBe(2);
  expect(asked[1]!.requests).toEqual([2, 3]);
  asked[1]!.answer.resolve(['two', 'three']);
  expect(await Promise.all(answers)).toEqual(['one', 'two', 'three']);
});

it('no read waits while fewer statements are in flight than allowed', () => {
  const { asked, reads } = heldReads({ atOnce: 2 });
  for (const n of [1, 2, 3]) void reads.read(n);
  expect(asked.map(({ requests }) => requests)).toEqual([[1], [2]]);
});

it('a statement has a limited number of requests, and the others are in the next one', async () => {
  const { asked, reads } = heldReads({ atOnce: 1, most: 2 });
  const answers = [1, 2, 3, 4].map((n) => reads.read(n));
  for (let nth = 0; nth < 3; nth += 1) {
    await expect.poll(() => asked.length).toBe(nth + 1);
    asked[nth]!.answer.resolve(asked[nth]!.requests.map(String));
  }
  expect(await Promise.all(answers)).toEqual(['1', '2', '3', '4']);
  expect(asked.map(({ requests }) => requests.length)).toEqual([1, 2, 1]);
});

it('a refusal fails one request, and a failed statement all of its requests', async () => {
  const { asked, reads } = heldReads({ atOnce: 1 });
  const answers = [1, 2, 3].map((n) => reads.read(n).catch((error: Error) => error.message));
  asked[0]!.answer.reject(new Error('the connection is lost'));
  await expect.poll(() => asked.length).toBe(2);
  asked[1]!.answer.resolve([new Error('not yours'), 'three']);
  expect(await Promise.all(answers)).toEqual(['the connection is lost', 'not yours', 'three']);
  void reads.read(4);
  expect(asked[2]!.requests).toEqual([4]);
});
