/** Pauses between requests of code that did not arrive. The last failure usually means that a new version was released. */
const RETRY_MS = [1000, 3000];

/** Loads code. A connection that is lost for a moment must not replace a page that works, so the request is repeated. */
export async function loadAgain<Module>(load: () => Promise<Module>): Promise<Module> {
  for (const ms of RETRY_MS) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  }
  return load();
}
