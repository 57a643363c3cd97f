import { describe, expect, it } from 'vitest';

import { AuthError } from '../../../src/dashboard/session/authClient.js';
import { inBatches, inGroups, nameSome, sayMissing } from '../../../src/dashboard/parts/inBatches.js';

const IDS = Array.from({ length: 250 }, (_, n) => `v${n}`);

/** As the GraphQL client throws them. */
const httpError = (statusCode: number): Error =>
  Object.assign(new Error('refused'), { name: 'ServerError', statusCode });
const graphqlError = (code: string): Error =>
  Object.assign(new Error('refused'), {
    name: 'CombinedGraphQLErrors',
    errors: [{ message: 'Refused.', extensions: { code } }],
  });

describe('an action on many ids', () => {
  it('asks for at most a hundred at once, in order, and says how far it is before each request', async () => {
    const asked: number[] = [];
    const progress: number[] = [];
    const outcome = await inBatches(
      IDS,
      async (some) => {
        asked.push(some.length);
        return Promise.resolve(some.filter((id) => id !== 'v120'));
      },
      { onProgress: (done) => progress.push(done) },
    );
    expect(asked).toEqual([100, 100, 50]);
    expect(progress).toEqual([0, 100, 200]);
    expect(outcome).toMatchObject({ refused: ['v120'], left: [], error: undefined });
    expect(outcome.done).toEqual(IDS.filter((id) => id !== 'v120'));
  });

  it('keeps what was done if a request fails or somebody stops it, and knows what got no response', async () => {
    const failure = new Error('away');
    const failed = await inBatches(IDS, async (some) =>
      some.includes('v150') ? Promise.reject(failure) : Promise.resolve(some),
    );
    expect(failed).toEqual({
      done: IDS.slice(0, 100),
      refused: [],
      unknown: IDS.slice(100, 200),
      left: IDS.slice(200),
      error: failure,
    });

    const stopping = new AbortController();
    const stopped = await inBatches(
      IDS,
      async (some) => {
        if (some.includes('v100')) stopping.abort();
        return Promise.resolve(some);
      },
      { signal: stopping.signal },
    );
    expect(stopped).toEqual({
      done: IDS.slice(0, 200),
      refused: [],
      unknown: [],
      left: IDS.slice(200),
      error: undefined,
    });
  });

  it.each([
    [
      'refused, it is known that it was not done',
      new AuthError('LIMIT_REACHED', ''),
      { unknown: [], left: ['a', 'b'] },
    ],
    ['lost, it is unknown whether it was done', new TypeError('away'), { unknown: ['a'], left: ['b'] }],
  ])('if the request for a single one is %s', async (_, failure, expected) => {
    const outcome = await inBatches(['a', 'b'], async () => Promise.reject(failure), { batch: 1 });
    expect(outcome).toEqual({ done: [], refused: [], ...expected, error: failure });
  });

  it.each([
    ['by the limit of requests', httpError(429)],
    ['because the session has ended', httpError(401)],
    ['because the page shows another account', httpError(409)],
    ['because the account is suspended', graphqlError('ACCOUNT_SUSPENDED')],
    ['because it needs the second factor', graphqlError('TWO_FACTOR_REQUIRED')],
  ])('names a batch as not done if it was refused as a whole %s', async (_, failure) => {
    const outcome = await inBatches(IDS, async (some) =>
      some.includes('v150') ? Promise.reject(failure) : Promise.resolve(some),
    );
    expect(outcome).toEqual({
      done: IDS.slice(0, 100),
      refused: [],
      unknown: [],
      left: IDS.slice(100),
      error: failure,
    });
  });

  it.each([
    ['fails in the service', httpError(503)],
    ['ends halfway through it', graphqlError('LIMIT_REACHED')],
  ])('may be done for some of a batch that %s', async (_, failure) => {
    const outcome = await inBatches(['a', 'b'], async () => Promise.reject(failure));
    expect(outcome).toMatchObject({ done: [], unknown: ['a', 'b'], left: [] });
  });

  it('says what was not done apart from what may have been', () => {
    const videos = ['a', 'b', 'c'].map((id) => ({ id, title: id }));
    const notDone = (names: string): string => `Not done: ${names}.`;
    const outcome = { refused: ['a'], unknown: ['b'], left: ['c'], error: new TypeError('away') };
    expect(sayMissing(videos, outcome, notDone)).toMatch(
      /^Not done: “a”, “c”\. Not confirmed: “b”\. The connection was lost\./,
    );
    expect(sayMissing(videos, { refused: [], unknown: ['b'], left: [], error: undefined }, notDone)).toBe(
      'Not confirmed: “b”.',
    );
  });

  it('runs groups as one action: one progress, and what ends one of them ends those after it', async () => {
    const groups = [
      { tag: 'a', ids: IDS.slice(0, 120) },
      { tag: 'b', ids: IDS.slice(120, 130) },
      { tag: 'c', ids: IDS.slice(130) },
    ];
    const asked: [string, number][] = [];
    const progress: number[] = [];
    const act = async (some: string[], { tag }: (typeof groups)[number]): Promise<string[]> => {
      asked.push([tag, some.length]);
      return Promise.resolve(some.filter((id) => id !== 'v5'));
    };
    const outcome = await inGroups(groups, act, { onProgress: (done) => progress.push(done) });
    expect(asked).toEqual([
      ['a', 100],
      ['a', 20],
      ['b', 10],
      ['c', 100],
      ['c', 20],
    ]);
    expect(progress).toEqual([0, 100, 120, 130, 230]);
    expect(outcome).toEqual({
      done: IDS.filter((id) => id !== 'v5'),
      refused: ['v5'],
      unknown: [],
      left: [],
      error: undefined,
    });

    const stopping = new AbortController();
    const stopped = await inGroups(
      groups,
      async (some) => {
        stopping.abort();
        return Promise.resolve(some);
      },
      { signal: stopping.signal },
    );
    expect(stopped).toEqual({
      done: IDS.slice(0, 100),
      refused: [],
      unknown: [],
      left: IDS.slice(100),
      error: undefined,
    });

    const failure = new Error('away');
    const failed = await inGroups(groups, async (some, { tag }) =>
      tag === 'b' ? Promise.reject(failure) : Promise.resolve(some),
    );
    expect(failed).toEqual({
      done: IDS.slice(0, 120),
      refused: [],
      unknown: IDS.slice(120, 130),
      left: IDS.slice(130),
      error: failure,
    });
  });

  it('names a few, and counts the others', () => {
    const videos = IDS.map((id) => ({ id, title: `Title ${id}` }));
    expect(nameSome(videos, ['v7'])).toBe('“Title v7”');
    expect(nameSome(videos, ['v9', 'v7', 'v8'])).toBe('“Title v7”, “Title v8”, “Title v9”');
    expect(nameSome(videos, IDS.slice(0, 5))).toBe('“Title v0”, “Title v1”, “Title v2” and 2 more');
  });
});
