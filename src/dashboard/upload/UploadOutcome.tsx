import { words } from '#words/upload.js';
import { useQuery } from '@apollo/client/react';
import { Anchor, Group, Loader, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { VideoDocument, type VideoRowFragment } from '../generated/graphql.js';
import { showCredits } from '../lib/credits.js';
import { showChoice, wishedFor } from '../processing/choice.js';
import { PLAY } from '../lib/playLink.js';
import { ProcessingProgress } from '../processing/ProcessingProgress.js';
import { InlineQuote } from '../processing/InlineQuote.js';
import type { Quotes } from '../processing/useQuotes.js';

/** What happens to an uploaded file: measured, priced, processed, ready; live. */
export function UploadOutcome({ videoId, quotes }: { videoId: string; quotes: Quotes | undefined }) {
  const { data } = useQuery(VideoDocument, { variables: { id: videoId } });
  const video = data?.video;
  const priced = quotes?.priced.find((one) => one.video.id === videoId);
  if (!video) return null;

  switch (video.status) {
    case 'UPLOADED':
      if (!video.measured) return <Measuring />;
      if (video.autoProcess && !video.failure) return <Note>{words.uploadOutcome.processingStartsMoment}</Note>;
      return priced && quotes ? <InlineQuote priced={priced} onAskAgain={quotes.askAgain} /> : null;
    case 'QUEUED':
    case 'PROCESSING':
      return (
        <>
          <ProcessingProgress video={video} detailed />
          <Paid video={video} />
          {video.playableRungs.length > 0 ? <PlaysNow videoId={videoId} /> : null}
        </>
      );
    case 'READY':
      return <PlaysNow videoId={videoId} />;
    case 'FAILED':
      return <Note>{video.failure?.message ?? words.uploadOutcome.processingFailed}</Note>;
    case 'AWAITING_UPLOAD':
    case 'UPLOADING':
      return null;
  }
}

function Paid({ video }: { video: VideoRowFragment }) {
  if (!video.processing) return null;
  return (
    <Text size="sm" c="dimmed" className="num">
      {words.uploadOutcome.creditsSetAside(showChoice(wishedFor(video)), showCredits(video.processing.price))}
    </Text>
  );
}

function PlaysNow({ videoId }: { videoId: string }) {
  return (
    <Note>
      {words.uploadOutcome.readyPlay((text) => (
        <Anchor component={Link} to={`/videos/${videoId}`} state={PLAY} inherit>
          {text}
        </Anchor>
      ))}
    </Note>
  );
}

function Measuring() {
  return (
    <Group gap="xs" wrap="nowrap">
      <Loader size={14} />
      <Note>{words.uploadOutcome.measuringLengthGetPrice}</Note>
    </Group>
  );
}

function Note({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" role="status">
      {children}
    </Text>
  );
}
