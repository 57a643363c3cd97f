/** What failed first says what is wrong; thousands of the same say no more. */
const KEPT_FAILURES = 10;

/**
 * Handles one after the other. One that fails does not keep those behind it.
 *
 * @returns for how many of them `handle` said that there was something to do.
 * @throws AggregateError at the end, with the first failures.
 */
export async function handleEach<Item>(
  items: AsyncIterable<Item>,
  handle: (item: Item) => Promise<boolean>,
): Promise<number> {
  let handled = 0;
  let failed = 0;
  const failures: unknown[] = [];
  for await (const item of items) {
    try {
      if (await handle(item)) handled += 1;
    } catch (error) {
      failed += 1;
      if (failures.length < KEPT_FAILURES) failures.push(error);
    }
  }
  if (failed > 0) throw new AggregateError(failures, `${failed} could not be swept`);
  return handled;
}
