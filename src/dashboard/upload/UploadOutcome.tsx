import { useQuery } from '@apollo/client/react';
import { Anchor, Loader, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { VideoDocument } from '../generated/graphql.js';
import { ProcessingProgress } from '../videos/ProcessingProgress.js';
import { InlineQuote } from '../videos/InlineQuote.js';

/** What becomes of a file once it is there: measured, priced, processed, ready; each as it happens. */
export function UploadOutcome({ videoId }: { videoId: string }) {
  const { data } = useQuery(VideoDocument, { variables: { id: videoId } });
  const video = data?.video;
  if (!video) return null;

  switch (video.status) {
    case 'UPLOADED':
      if (!video.measured) return <Measuring />;
      if (video.autoProcess && !video.failure) return <Note>Processing begins in a moment.</Note>;
      return <InlineQuote video={video} />;
    case 'QUEUED':
    case 'PROCESSING':
      return (
        <>
          <ProcessingProgress video={video} detailed />
          {video.playableRungs.length > 0 ? <PlaysNow videoId={videoId} /> : null}
        </>
      );
    case 'READY':
      return <PlaysNow videoId={videoId} />;
    case 'FAILED':
      return <Note>{video.failure?.message ?? 'It could not be processed.'}</Note>;
    case 'AWAITING_UPLOAD':
    case 'UPLOADING':
      return null;
  }
}

function PlaysNow({ videoId }: { videoId: string }) {
  return (
    <Note>
      It plays now.{' '}
      <Anchor component={Link} to={`/videos/${videoId}`} inherit>
        Watch it
      </Anchor>
    </Note>
  );
}

function Measuring() {
  return (
    <Note>
      <Loader size={14} mr={8} />
      Its length is being measured; the price follows from that.
    </Note>
  );
}

function Note({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" role="status">
      {children}
    </Text>
  );
}
