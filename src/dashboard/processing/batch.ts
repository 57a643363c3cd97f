/** Shared options for many items, and the own options of single ones. */
export interface Batch<Key, Choice extends object> {
  readonly shared: Choice;
  readonly own: ReadonlyMap<Key, Partial<Choice>>;
}

export function choiceOf<Key, Choice extends object>({ shared, own }: Batch<Key, Choice>, key: Key): Choice {
  return { ...shared, ...own.get(key) };
}

/** Changes the shared options; options changed by hand for single items stay. */
export function chooseForAll<Key, Choice extends object>(
  batch: Batch<Key, Choice>,
  change: Partial<Choice>,
): Batch<Key, Choice> {
  return { ...batch, shared: { ...batch.shared, ...change } };
}

/** Changes one item. An item that is changed back to the shared options follows them again. */
export function chooseForOne<Key, Choice extends object>(
  { shared, own }: Batch<Key, Choice>,
  key: Key,
  change: Partial<Choice>,
): Batch<Key, Choice> {
  const differing = Object.entries({ ...own.get(key), ...change }).filter(
    ([name, value]) => shared[name as keyof Choice] !== value,
  );
  const next = new Map(own);
  if (differing.length === 0) next.delete(key);
  else next.set(key, Object.fromEntries(differing) as Partial<Choice>);
  return { shared, own: next };
}

/** Makes one item follow the shared options again. */
export function followShared<Key, Choice extends object>(
  { shared, own }: Batch<Key, Choice>,
  key: Key,
): Batch<Key, Choice> {
  return { shared, own: new Map([...own].filter(([other]) => other !== key)) };
}
