import { words } from '#words/wallet.js';
import { useQuery } from '@apollo/client/react';
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { LedgerVideosDocument, LedgerVideoDocument } from '../../generated/graphql.js';
import classes from './Ledger.module.css';

const TYPING_MS = 250;
const FOUND = 10;

/** Finds a video by words in its title. */
export function VideoFilter({ videoId, onChange }: { videoId: string; onChange: (videoId: string) => void }) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), TYPING_MS);
  const chosen = useQuery(LedgerVideoDocument, { variables: { id: videoId }, skip: videoId === '' });
  const title = chosen.data?.video?.title ?? (videoId && !chosen.loading ? words.videoFilter.deletedVideo : videoId);
  const found = useQuery(LedgerVideosDocument, {
    variables: { first: FOUND, q: search === title ? null : search || null },
  });
  const videos = (found.data ?? found.previousData)?.found.edges.map(({ node }) => node) ?? [];
  const data = videos.filter(({ id }) => id !== videoId).map((video) => ({ value: video.id, label: video.title }));

  return (
    <Select
      label={words.videoFilter.video}
      placeholder={words.videoFilter.all}
      className={classes['video'] ?? ''}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': words.videoFilter.allVideos }}
      nothingFoundMessage={words.videoFilter.noMatchingTitles}
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
