import '../../player/index.js';
import { useMutation } from '@apollo/client/react';
import { useCallback } from 'react';
import type { DharaPlayerElement } from '../../player/index.js';
import { CreatePreviewTokenDocument, type VideoRowFragment } from '../generated/graphql.js';
import { resume, type PlayerMoment } from './pagePlayer.js';

interface Props {
  readonly video: VideoRowFragment;
  /** Where it goes on for the player before it; null where it begins. */
  readonly moment: PlayerMoment | null;
}

/** Plays it as a viewer would see it. The token is asked for by the click: one lives for five minutes only. */
export function PreviewPlayer({ video, moment }: Props) {
  const [createToken] = useMutation(CreatePreviewTokenDocument);
  const provideToken = useCallback(async () => {
    const { data } = await createToken({ variables: { videoId: video.id } });
    return data?.createPreviewToken.token ?? '';
  }, [createToken, video.id]);

  const begin = useCallback(
    (player: DharaPlayerElement | null) => (player && moment ? resume(player, moment) : undefined),
    [moment],
  );

  return (
    <dhara-player
      ref={begin}
      // Another video is another player: nothing of the first goes on playing.
      key={video.id}
      title={video.title}
      tokenProvider={provideToken}
      {...(video.thumbnailUrl ? { poster: video.thumbnailUrl } : {})}
    />
  );
}
