import '../../player/index.js';
import { words } from '#words/video.js';
import { useMutation } from '@apollo/client/react';
import { useCallback, type RefObject } from 'react';
import type { DharaPlayerElement } from '../../player/index.js';
import { CreatePreviewTokenDocument, type VideoRowFragment } from '../generated/graphql.js';
import { useViewer } from '../session/viewer.js';
import { resume, type PlayerMoment } from './pagePlayer.js';
import classes from './VideoPage.module.css';

interface Props {
  readonly video: VideoRowFragment;
  /** Where the previous player was, and afterwards where this one is when it is removed; null starts at the beginning. */
  readonly momentRef: RefObject<PlayerMoment | null>;
}

/**
 * Plays the video as a viewer would see it. The token is requested on click, because it is valid for only five minutes.
 */
export function PreviewPlayer({ video, momentRef }: Props) {
  const { account, view } = useViewer();
  const [createToken] = useMutation(CreatePreviewTokenDocument);
  const provideToken = useCallback(async () => {
    const { data } = await createToken({ variables: { videoId: video.id } });
    return data?.createPreviewToken.token ?? '';
  }, [createToken, video.id]);

  const begin = useCallback(
    (player: DharaPlayerElement) => {
      if (momentRef.current) resume(player, momentRef.current);
      return () => {
        const { currentTime, paused } = player;
        // While it starts, it has not arrived where it resumes.
        const seconds = currentTime === 0 && !paused ? (momentRef.current?.seconds ?? 0) : currentTime;
        momentRef.current = { seconds, plays: !paused };
      };
    },
    [momentRef],
  );

  // A token plays everywhere, and would count as one of the owner's.
  if (view) return <p className={classes['noPlayback']}>{words.previewPlayer.notInView}</p>;
  if (account.suspended) return <p className={classes['noPlayback']}>{words.previewPlayer.notSuspended}</p>;

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
