import { ApolloClient, ApolloLink, gql, InMemoryCache } from '@apollo/client';
import { Observable, of } from 'rxjs';
import { expect, it } from 'vitest';

import { refresh } from '../../../src/dashboard/session/refresh.js';

const QUERY = gql`
  query Title {
    title
  }
`;

/** A client whose service gives the next of `responses` each time; an error instead of `null`. */
function clientOf(responses: (string | null)[]) {
  const link = new ApolloLink(
    () =>
      new Observable((observer) => {
        setImmediate(() => {
          const title = responses.shift();
          if (title === null) return observer.error(new Error('no response'));
          observer.next({ data: { title } });
          observer.complete();
        });
      }),
  );
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  const query = client.watchQuery<{ title: string }>({ query: QUERY });
  const seen: (string | null)[] = [];
  query.subscribe(({ data, loading }) => seen.push(loading ? 'loading' : (data?.title ?? null)));
  return { client, seen, left: responses };
}

it('a refresh changes a page once, when its data has changed', async () => {
  const { client, seen, left } = clientOf(['one', 'two']);
  await expect.poll(() => seen).toEqual(['loading', 'one']);
  refresh(client);
  await expect.poll(() => seen.at(-1)).toBe('two');
  expect(left).toEqual([]);
  expect(seen).toEqual(['loading', 'one', 'two']);
});

it('a page without data says that it is loading again', async () => {
  const { client, seen } = clientOf([null, 'two']);
  await expect.poll(() => seen).toEqual(['loading', null]);
  refresh(client);
  await expect.poll(() => seen.at(-1)).toBe('two');
  expect(seen).toEqual(['loading', null, 'loading', 'two']);
});

it('a refresh sends each query in a task of its own, unless its page was left meanwhile', async () => {
  const sent: string[] = [];
  const link = new ApolloLink(({ operationName = '' }) => {
    sent.push(operationName);
    return of({ data: { title: 'one' } });
  });
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  const [, left] = ['One', 'Two', 'Three'].map((name) =>
    client.watchQuery({ query: gql(`query ${name} { title }`), fetchPolicy: 'network-only' }).subscribe({}),
  );
  await expect.poll(() => sent).toEqual(['One', 'Two', 'Three']);
  refresh(client);
  expect(sent.slice(3)).toEqual(['One']);
  left?.unsubscribe();
  await expect.poll(() => sent.slice(3)).toEqual(['One', 'Three']);
});
