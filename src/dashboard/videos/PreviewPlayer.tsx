import '../../player/index.js';
import { useMutation } from '@apollo/client/react';
import { useCallback } from 'react';
import { CreatePreviewTokenDocument, type VideoRowFragment } from '../generated/graphql.js';

/** Plays it as a viewer would see it. The token is asked for by the click: one lives for five minutes only. */
export function PreviewPlayer({ video }: { video: VideoRowFragment }) {
  const [createToken] = useMutation(CreatePreviewTokenDocument);
  const provideToken = useCallback(async () => {
    const { data } = await createToken({ variables: { videoId: video.id } });
    return data?.createPreviewToken.token ?? '';
  }, [createToken, video.id]);

  return (
    <dhara-player
      // Another video is another player: nothing of the first goes on playing.
      key={video.id}
      title={video.title}
      tokenProvider={provideToken}
      {...(video.thumbnailUrl ? { poster: video.thumbnailUrl } : {})}
    />
  );
}
