import { Failure, Page } from '../components/Page.jsx';
import { dhara } from '../lib/dhara.js';
import { propsOrFailure } from '../lib/failures.js';

export function getServerSideProps({ query: { cursor }, res }) {
  return propsOrFailure(res, async () => {
    const position = typeof cursor === 'string' ? { cursor } : {};
    const { data, pagination } = await dhara.listVideos({ status: 'ready', limit: 12, ...position });
    // Next.js sends props to the browser, so name what visitors may see.
    const videos = data.map(({ id, title, thumbnailUrl, durationSeconds }) => {
      return { id, title, thumbnailUrl, durationSeconds };
    });
    return { videos, nextCursor: pagination.nextCursor, isFirst: cursor === undefined };
  });
}

export default function VideoList({ failure, videos, nextCursor, isFirst }) {
  if (failure) return <Failure {...failure} />;
  return (
    <Page title="Videos">
      {videos.length === 0 && <p>There are no videos yet.</p>}
      <ul className="videos">
        {videos.map((video) => (
          <li key={video.id}>
            {/* A plain link: Link would fetch the page early, and each fetch uses one of the key's tokens. */}
            <a href={`/videos/${video.id}`}>
              {video.thumbnailUrl !== null && <img src={video.thumbnailUrl} alt="" loading="lazy" />}
              <span>{video.title}</span>
            </a>{' '}
            <small>{clock(video.durationSeconds)}</small>
          </li>
        ))}
      </ul>
      {(!isFirst || nextCursor !== null) && (
        <nav aria-label="Pages">
          {!isFirst && <a href="/">First page</a>}
          {nextCursor !== null && (
            <a href={`/?cursor=${encodeURIComponent(nextCursor)}`} rel="next">
              Next page
            </a>
          )}
        </nav>
      )}
    </Page>
  );
}

/** 83 seconds are 1:23. */
function clock(durationSeconds) {
  const seconds = Math.round(durationSeconds ?? 0);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
