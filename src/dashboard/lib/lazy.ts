import {
  createElement,
  lazy as reactLazy,
  startTransition,
  useEffect,
  useState,
  type ComponentType,
  type ReactNode,
} from 'react';
import { loadAgain } from './loadAgain.js';
import { painted } from './painted.js';

/** As React's, which keeps the failure of one lost request for good, and breaks the page with it: see `loadAgain`. */
export const lazy: typeof reactLazy = (load) => reactLazy(() => loadAgain(load));

/** The longest wait for a page that is never idle, such as one with a moving picture. */
const MAX_WAIT_MS = 1000;

/** Resolves when what was loaded before has been rendered. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * A part of a page that can appear later, and `fallback` in its place until then. Its code is requested when the page has
 * painted and is idle. The parts that a page shows later are rendered one after the other, so that it can respond in
 * between.
 *
 * Not by `lazy` and `Suspense`: React would show all parts that arrive within 300 ms in one task, which takes a phone a
 * quarter of a second.
 */
export function lazyLater<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  fallback: ReactNode,
): (props: Props) => ReactNode {
  const loadInTurn = inTurn(() => loadAgain(load));
  let loaded: ComponentType<Props> | undefined;
  return function Later(props) {
    const [Part, setPart] = useState(() => loaded);
    useEffect(() => {
      // It may have arrived for another place since this one was rendered.
      if (loaded) {
        setPart(() => loaded);
        return;
      }
      loadInTurn().then(
        (module) => {
          loaded = module.default;
          startTransition(() => setPart(() => module.default));
        },
        // The page breaks, as it does with `lazy`.
        (error: unknown) =>
          setPart(() => {
            throw error;
          }),
      );
    }, []);
    return Part ? createElement(Part, props) : fallback;
  };
}

export function inTurn<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return async () => {
    await idle();
    const loaded = load();
    // A request that hangs does not hold up the others for long.
    const before = Promise.race([turn, new Promise((resolve) => setTimeout(resolve, 3 * MAX_WAIT_MS))]);
    turn = Promise.allSettled([before, loaded]).then(idle);
    await before;
    return loaded;
  };
}

async function idle(): Promise<void> {
  await painted();
  // Safari has no such call, and hidden pages are not idle.
  if (typeof requestIdleCallback === 'undefined' || document.hidden) return;
  await new Promise((resolve) => requestIdleCallback(resolve, { timeout: MAX_WAIT_MS }));
}
