import '../../player/index.js';
import { useMutation } from '@apollo/client/react';
import { useCallback } from 'react';
import type { DharaPlayerElement } from '../../player/index.js';
import { CreatePreviewTokenDocument, type VideoRowFragment } from '../generated/graphql.js';
import { resume, type PlayerMoment } from './pagePlayer.js';

interface Props {
  readonly video: VideoRowFragment;
  /** The position to resume from the previous player; null starts at the beginning. */
  readonly moment: PlayerMoment | null;
}

/**
 * Plays the video as a viewer would see it. The token is requested on click, because it is valid for only five minutes.
 */
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
      // Each video gets its own player, so that the previous video stops.
      key={video.id}
      title={video.title}
      tokenProvider={provideToken}
      {...(video.thumbnailUrl ? { poster: video.thumbnailUrl } : {})}
    />
  );
}
