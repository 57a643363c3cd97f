import { words } from '#words/videos.js';
import { Checkbox } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { memo } from 'react';
import { WindowedList } from '../parts/WindowedList.js';
import { selectBox } from './selectBox.js';
import type { Selection } from './useSelection.js';
import { useLiveVideo, type ListedVideo, type VideoList } from './useVideoList.js';
import { VideoCard } from './VideoCard.js';

const CARD_MIN_PX = 216;
const GAP_PX = 14;
/** Height of a card's text below the picture. */
const WORDS_PX = 92;
const FIRST_WIDTH_PX = 1000;

interface Props {
  readonly list: VideoList;
  readonly selection: Selection<ListedVideo>;
}

/** The list as a grid of pictures, with as many columns as fit. */
export function VideoGrid({ list, selection }: Props) {
  const { ref, width } = useElementSize();
  const columns = Math.max(2, Math.floor(((width || FIRST_WIDTH_PX) + GAP_PX) / (CARD_MIN_PX + GAP_PX)));
  const cardPx = ((width || FIRST_WIDTH_PX) - GAP_PX * (columns - 1)) / columns;

  return (
    <div ref={ref}>
      <WindowedList
        key={columns}
        items={list.videos ?? []}
        keyOf={({ id }) => id}
        label={words.videoGrid.videos}
        columns={columns}
        gapPx={GAP_PX}
        estimatePx={(cardPx * 9) / 16 + WORDS_PX}
        total={list.total}
        hasMore={list.hasMore}
        loadingMore={list.loadingMore}
        onMore={list.loadMore}
        error={list.moreError}
        render={(video) => <LiveCard video={video} selection={selection} />}
      />
    </div>
  );
}

interface CardProps {
  readonly video: ListedVideo;
  readonly selection: Selection<ListedVideo>;
}

const LiveCard = memo(function LiveCard({ video, selection }: CardProps) {
  return (
    <VideoCard
      video={useLiveVideo(video)}
      selected={selection.has(video.id)}
      corner={<Checkbox size="xs" {...selectBox(selection, video)} />}
    />
  );
});
