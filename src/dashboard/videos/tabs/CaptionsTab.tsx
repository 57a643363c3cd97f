import { Stack } from '@mantine/core';
import { useState, type RefObject } from 'react';
import { VideoCaptions } from '../captions/VideoCaptions.js';
import { playerMoment, type PlayerMoment } from '../pagePlayer.js';
import { PreviewPlayer } from '../PreviewPlayer.js';
import type { VideoDetails } from '../videoDetails.js';
import classes from './CaptionsTab.module.css';
import { ScrubBar } from './ScrubBar.js';

interface Props {
  readonly video: VideoDetails;
  readonly momentRef: RefObject<PlayerMoment | null>;
}

/** Captions and chapters, beside the player that shows them. */
export default function CaptionsTab({ video, momentRef }: Props) {
  const [count, setCount] = useState(0);
  const plays = video.playableRungs.length > 0;

  /** A player reads a video's captions and chapters once: replace it, so that changes show. */
  function renewPlayer(): void {
    if (playerMoment()) setCount((before) => before + 1);
  }

  return (
    <div className={classes['columns']}>
      {plays ? (
        <div key={count} className={classes['player']}>
          <PreviewPlayer video={video} momentRef={momentRef} />
          {video.durationSeconds === null ? null : (
            <ScrubBar videoId={video.id} durationSeconds={video.durationSeconds} />
          )}
        </div>
      ) : null}
      <Stack gap="lg">
        <VideoCaptions videoId={video.id} isMade={plays} onChanged={renewPlayer} />
      </Stack>
    </div>
  );
}
