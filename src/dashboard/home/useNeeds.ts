import { useQuery } from '@apollo/client/react';
import { NeedsYouDocument, type NeededVideoFragment } from '../generated/graphql.js';
import { isWaitingForQuote, needsCredits } from '../lib/videoStates.js';

type Videos = readonly NeededVideoFragment[];

export interface Needs {
  /** The newest of them. */
  readonly failed: Videos;
  readonly moreFailed: number;
  /** Waiting for their owner to accept a price. */
  readonly open: Videos;
  /** Waiting for credits. */
  readonly short: Videos;
  /** How many webhook endpoints were disabled because they failed, not by their owner. */
  readonly disabled: number;
  /** How many webhook endpoints fail now. */
  readonly failing: number;
  /** How many API keys create no more playback tokens today. */
  readonly usedUp: number;
  /** Each failed video counts. All that have another problem in common count as one. */
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
  const { webhookEndpoints: endpoints, apiKeys } = data;
  const disabled = endpoints.filter(({ disabledReason: reason }) => reason !== null && reason !== 'OWNER').length;
  const failing = endpoints.filter(({ disabledReason, failingSince }) => !disabledReason && failingSince).length;
  const usedUp = apiKeys.filter((key) => key.revokedAt === null && key.usedToday >= key.dailyQuota).length;
  const groups = [open.length, short.length, disabled, failing, usedUp].filter((size) => size > 0);
  const count = failed.length + moreFailed + groups.length;
  return { failed, moreFailed, open, short, disabled, failing, usedUp, count };
}
