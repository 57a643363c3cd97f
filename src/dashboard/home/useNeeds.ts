import { useQuery } from '@apollo/client/react';
import { NeedsYouDocument, type VideoRowFragment } from '../generated/graphql.js';
import { isWaitingForQuote, needsCredits } from '../videos/words.js';

export interface Needs {
  /** The newest of them. */
  readonly failed: readonly VideoRowFragment[];
  readonly moreFailed: number;
  /** Waiting for their owner to accept a price. */
  readonly open: readonly VideoRowFragment[];
  /** Waiting for credits. */
  readonly short: readonly VideoRowFragment[];
  /** Each failure counts. All videos that wait for a price count as one, and so do all that wait for credits. */
  readonly count: number;
}

/** What only the owner can decide or mend. Undefined until it is known. */
export function useNeeds(): Needs | undefined {
  const { data } = useQuery(NeedsYouDocument);
  if (!data) return undefined;
  const failed = data.failed.edges.map(({ node }) => node).filter(({ status }) => status === 'FAILED');
  const uploaded = data.uploaded.edges.map(({ node }) => node).filter(isWaitingForQuote);
  const short = uploaded.filter(needsCredits);
  const open = uploaded.filter((video) => !needsCredits(video) && (!video.autoProcess || video.failure !== null));
  const moreFailed = Math.max(0, (data.failed.totalCount ?? 0) - failed.length);
  const count = failed.length + moreFailed + Number(open.length > 0) + Number(short.length > 0);
  return { failed, moreFailed, open, short, count };
}
