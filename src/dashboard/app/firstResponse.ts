import { FIRST_QUERIES } from '../generated/firstQueries.js';
import { monthToDate } from '../home/monthToDate.js';
import { isTestMode } from '../session/mode.js';

type Variables = Readonly<Record<string, unknown>>;
type Page = keyof typeof FIRST_QUERIES;

/** The data of all queries that a page sends when it is opened. */
export interface FirstResponse {
  readonly page: Page;
  readonly variables: Variables;
  readonly data: Record<string, unknown>;
  readonly askedAtMs: number;
}

/** The rest of the page waits this long for a slow response, then shows a loading state. */
const MAX_WAIT_MS = 3000;
/** The rows of a list that a phone shows without scrolling. */
const MOST_PICTURES = 4;
const VIDEO_PATH = /^\/videos\/([^/]+)(\/[^/]+)?$/;
const WITHOUT_SESSION = new Set(['/watch', '/sign-in', '/sign-up', '/forgot-password', '/reset-password']);

/**
 * Requests everything that the page at this address shows, in one request, while its scripts load.
 *
 * Resolves to undefined if there is nothing to request, if it takes too long, or if any part of it failed. The parts of
 * the page then send their own queries, and show what went wrong.
 */
export async function fetchFirstResponse({ pathname, search }: Location): Promise<FirstResponse | undefined> {
  // The first queries also ask for the wallet, which test mode does not have.
  if (isTestMode || WITHOUT_SESSION.has(pathname)) return undefined;
  const { page, variables } = pageAt(pathname, search);
  const askedAtMs = performance.now();
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ operationName: 'FirstPage', query: FIRST_QUERIES[page], variables }),
      signal: AbortSignal.timeout(MAX_WAIT_MS),
    });
    const { data, errors } = (await response.json()) as { data?: FirstResponse['data'] | null; errors?: unknown };
    if (!data || errors !== undefined) return undefined;
    requestPictures(data);
    return { page, variables, data, askedAtMs };
  } catch {
    return undefined;
  }
}

interface Pictured {
  readonly video?: { readonly thumbnailUrl?: string | null } | null;
  readonly videos?: { readonly edges: readonly { readonly node: NonNullable<Pictured['video']> }[] };
}

/**
 * Requests the pictures at the top of the page, which are the largest that it paints, before the scripts run that show
 * them: on a slow phone that takes seconds.
 */
function requestPictures({ video, videos }: Pictured): void {
  const shown = [video, ...(videos?.edges ?? []).slice(0, MOST_PICTURES).map(({ node }) => node)];
  for (const url of shown.map((one) => one?.thumbnailUrl)) {
    if (!url) continue;
    const picture = new Image();
    picture.fetchPriority = 'high';
    picture.src = url;
  }
}

/** Returns the value once: it must not be shown to a user who signs in later on the same page. */
export function takenOnce<Value>(value: Value | undefined): () => Value | undefined {
  let left = value;
  return () => {
    const taken = left;
    left = undefined;
    return taken;
  };
}

function pageAt(pathname: string, search: string): { page: Page; variables: Variables } {
  const [, videoId, tab] = VIDEO_PATH.exec(pathname) ?? [];
  if (videoId !== undefined) return { page: tab === undefined ? 'video' : 'videoTab', variables: { id: videoId } };
  // The variables of the list without filters.
  const unfiltered = {
    status: null,
    q: null,
    tag: null,
    createdFrom: null,
    createdTo: null,
    metadata: null,
    sort: 'NEWEST',
    withPlays: false,
    withCost: false,
    first: 50,
  };
  if (pathname === '/videos' && search === '') return { page: 'videos', variables: unfiltered };
  if (pathname === '/') return { page: 'home', variables: monthToDate() };
  return { page: pathname === '/wallet' ? 'wallet' : 'other', variables: {} };
}
