import { useFragment } from '@apollo/client/react';
import { Stack } from '@mantine/core';
import { VideoRowFragmentDoc, type VideoRowFragment } from '../generated/graphql.js';
import { wishedFor } from '../processing/choice.js';
import { useQuotes } from '../processing/useQuotes.js';
import { isWaitingForQuote } from '../lib/videoStates.js';
import type { UploadItem } from './types.js';
import { UploadCard } from './UploadCard.js';
import type { UploadQueue } from './UploadQueue.js';
import { UploadsBill } from './UploadsBill.js';
import { UploadsSummary } from './UploadsSummary.js';

/** All uploads, newest first, with each price and the total. */
export function UploadsList({ items, queue }: { items: readonly UploadItem[]; queue: UploadQueue }) {
  const videos = useKnownVideos(items);
  const waiting = videos.filter((video) => isWaitingForQuote(video) && (!video.autoProcess || video.failure !== null));
  const quotes = useQuotes(waiting.map((video) => ({ video, choice: wishedFor(video) })));

  return (
    <section aria-labelledby="uploads-title">
      <UploadsSummary items={items} queue={queue} />
      <Stack gap="xs">
        <UploadsBill videos={videos} quotes={quotes} />
        {items.toReversed().map((item) => (
          <UploadCard key={item.videoId} item={item} queue={queue} quotes={quotes} />
        ))}
      </Stack>
    </section>
  );
}

/** The current state of the uploads' videos, as far as the cache has them. */
function useKnownVideos(items: readonly UploadItem[]): readonly VideoRowFragment[] {
  const { data } = useFragment({
    fragment: VideoRowFragmentDoc,
    fragmentName: 'VideoRow',
    from: items.map(({ videoId }) => ({ __typename: 'Video' as const, id: videoId })),
  });
  const known = data as readonly (Partial<VideoRowFragment> | null)[];
  return known.filter((video): video is VideoRowFragment => video?.addons !== undefined);
}
