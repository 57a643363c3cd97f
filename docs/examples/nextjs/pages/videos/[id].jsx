import { Failure, Page } from '../../components/Page.jsx';
import { Player } from '../../components/Player.jsx';
import { dhara, dharaUrl } from '../../lib/dhara.js';
import { propsOrFailure } from '../../lib/failures.js';

// Each load of this page uses one of the key's tokens. The video comes first: a 404 uses none.
export function getServerSideProps({ params, res }) {
  return propsOrFailure(res, async () => {
    const { data: video } = await dhara.getVideo(params.id);
    const { data, rateLimit } = await dhara.createPlaybackToken(video.id);
    const { id, title, description, thumbnailUrl } = video;
    const left = rateLimit && `${rateLimit.remaining} of ${rateLimit.limit} views left today`;
    return { video: { id, title, description, thumbnailUrl }, token: data.token, left, dharaUrl };
  });
}

export default function Video({ failure, video, token, left, dharaUrl }) {
  if (failure) return <Failure {...failure} />;
  return (
    <Page title={video.title}>
      <Player video={video} token={token} dharaUrl={dharaUrl} />
      <p className="description">{video.description}</p>
      <p>
        <small>{left}</small>
      </p>
    </Page>
  );
}
