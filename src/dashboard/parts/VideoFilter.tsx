import { words } from '#words/videoFilter.js';
import { useQuery } from '@apollo/client/react';
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { VideoChoiceDocument, VideoChoicesDocument } from '../generated/graphql.js';

const TYPING_MS = 250;
const FOUND = 10;

interface Props {
  /** Empty: all videos. */
  readonly videoId: string;
  readonly onChange: (videoId: string) => void;
  readonly className?: string | undefined;
}

/** Finds a video by words in its title. */
export function VideoFilter({ videoId, onChange, className = '' }: Props) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS);
  const chosen = useQuery(VideoChoiceDocument, { variables: { id: videoId }, skip: videoId === '' });
  const title = chosen.data?.video?.title ?? (videoId && !chosen.loading ? words.deletedVideo : videoId);
  const found = useQuery(VideoChoicesDocument, {
    variables: { first: FOUND, q: search === title ? null : search || null },
  });
  const videos = (found.data ?? found.previousData)?.found.edges.map(({ node }) => node) ?? [];
  const data = videos.filter(({ id }) => id !== videoId).map((video) => ({ value: video.id, label: video.title }));

  return (
    <Select
      label={words.video}
      placeholder={words.all}
      className={className}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': words.allVideos }}
      nothingFoundMessage={words.noMatchingTitles}
      value={videoId || null}
      data={videoId ? [{ value: videoId, label: title }, ...data] : data}
      // The service has already filtered, by whole words.
      filter={({ options }) => options}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(id) => onChange(id ?? '')}
    />
  );
}
