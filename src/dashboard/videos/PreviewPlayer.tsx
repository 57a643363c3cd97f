import '../../player/index.js';
import { useMutation } from '@apollo/client/react';
import { Stack } from '@mantine/core';
import { useState } from 'react';
import { CreatePreviewTokenDocument, type VideoRowFragment } from '../generated/graphql.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import classes from './VideoRoom.module.css';

/** Plays it as a viewer would see it. The token is asked for by the click: one lives for five minutes only. */
export function PreviewPlayer({ video }: { video: VideoRowFragment }) {
  const [createToken] = useMutation(CreatePreviewTokenDocument);
  const [token, setToken] = useState<string>();
  const { run, busy, error } = useAction(async () => {
    const { data } = await createToken({ variables: { videoId: video.id } });
    setToken(data?.createPreviewToken.token);
  });

  if (token) {
    return (
      <dhara-player
        token={token}
        autoplay=""
        {...(video.thumbnailUrl ? { poster: video.thumbnailUrl } : {})}
        onplayererror={(event) => {
          // Played long ago and left open: the poster, and with the next click a fresh token.
          if (event.detail.code === 'PLAYBACK_TOKEN_EXPIRED') setToken(undefined);
        }}
      />
    );
  }
  return (
    <Stack gap="sm">
      <button type="button" className={classes['poster']} aria-busy={busy} onClick={() => void run()}>
        {video.thumbnailUrl ? <img src={video.thumbnailUrl} alt="" /> : null}
        <span className={classes['disc']}>
          <Icon name="play" size={32} />
        </span>
        <span className="visually-hidden">Play {video.title}</span>
      </button>
      <FormError error={error} />
    </Stack>
  );
}
