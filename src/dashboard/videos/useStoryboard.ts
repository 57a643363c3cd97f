import { useMutation } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { CreatePreviewTokenDocument } from '../generated/graphql.js';
import { framesOf, type Frame } from './storyboardFrames.js';

/**
 * Frames of a video, as the player loads them; `null` while loading, empty without a storyboard.
 *
 * @param videoId null until the frames are wanted
 * @param most how many, evenly spaced
 */
export function useStoryboard(
  videoId: string | null,
  most: number,
): { frames: readonly Frame[] | null; error: unknown } {
  const [createToken] = useMutation(CreatePreviewTokenDocument);
  const [state, setState] = useState<{ frames: readonly Frame[] | null; error: unknown }>({
    frames: null,
    error: undefined,
  });

  useEffect(() => {
    if (videoId === null) return undefined;
    const leaving = new AbortController();
    const load = async (): Promise<readonly Frame[]> => {
      const { data } = await createToken({ variables: { videoId } });
      const manifestUrl = `/v1/video/playback/manifest/${data?.createPreviewToken.token ?? ''}`;
      const manifest = await fetch(manifestUrl, { signal: leaving.signal });
      const { data: video } = (await manifest.json()) as { data?: { storyboardUrl: string | null } };
      if (!video?.storyboardUrl) return [];
      const index = await fetch(video.storyboardUrl, { signal: leaving.signal });
      return index.ok ? framesOf(await index.text(), video.storyboardUrl, most) : [];
    };
    load().then(
      (frames) => setState({ frames, error: undefined }),
      (error: unknown) => {
        if (!leaving.signal.aborted) setState({ frames: [], error });
      },
    );
    return () => leaving.abort();
  }, [createToken, videoId, most]);
  return state;
}
