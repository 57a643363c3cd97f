import { vi } from 'vitest';

/**
 * What modules of the dashboard need of a browser beside what Node.js has: an address that paths are relative to, a
 * cookie, and events. `vi.unstubAllGlobals()` ends it.
 */
export class Page {
  readonly window = new EventTarget();
  readonly document = Object.assign(new EventTarget(), { hidden: false });

  /** Requests for live updates that were not given up. */
  readonly streams = new Set<AbortSignal>();

  private constructor(
    private readonly url: string,
    public cookie: string,
  ) {}

  static open(url: string, cookie = ''): Page {
    const page = new Page(url, cookie);
    page.stub(globalThis.fetch);
    return page;
  }

  private stub(fetchOfNode: typeof fetch): void {
    vi.stubGlobal('document', this.document);
    vi.stubGlobal('addEventListener', this.window.addEventListener.bind(this.window));
    vi.stubGlobal('fetch', (path: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      if (init.credentials !== 'omit') headers.set('cookie', this.cookie);
      headers.set('origin', this.url);
      const { signal } = init;
      if (path === '/graphql/stream' && signal) {
        this.streams.add(signal);
        signal.addEventListener('abort', () => this.streams.delete(signal));
      }
      return fetchOfNode(new URL(path, this.url), { ...init, headers });
    });
  }

  /** Another tab comes in front, or this one does again. */
  setHidden(isHidden: boolean): void {
    this.document.hidden = isHidden;
    this.document.dispatchEvent(new Event('visibilitychange'));
  }

  /** The user leaves the page. */
  leave(): void {
    this.window.dispatchEvent(new Event('pagehide'));
  }
}
