import { useMutation } from '@apollo/client/react';
import { Alert, Button, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { RetryVideoDocument } from '../generated/graphql.js';
import { showCredits } from '../lib/credits.js';
import { showDuration } from '../lib/format.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { ContinueUpload } from '../upload/ContinueUpload.js';
import { ProcessingProgress } from './ProcessingProgress.js';
import { QuoteDialog } from './QuoteDialog.js';
import classes from './VideoPage.module.css';
import type { VideoDetails } from './videoDetails.js';
import { showQuality } from './words.js';

/** What happens now, or what its owner has to do or know; nothing once all of it is ready. */
export function NextStep({ video }: { video: VideoDetails }) {
  switch (video.status) {
    case 'AWAITING_UPLOAD':
    case 'UPLOADING':
      return <ContinueUpload video={video} />;
    case 'UPLOADED':
      return video.measured ? <Choose video={video} /> : <Measuring />;
    case 'QUEUED':
    case 'PROCESSING':
      return <Working video={video} />;
    case 'FAILED':
      return <Failed video={video} />;
    case 'READY':
      return video.failure ? <Shortfall video={video} reason={video.failure.message} /> : null;
  }
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={`panel ${classes['card']}`} aria-label={title}>
      <Title order={2}>{title}</Title>
      {children}
    </section>
  );
}

function Measuring() {
  return (
    <Card title="Analyzing your file">
      <Group gap="sm" role="status">
        <Loader size="sm" />
        <Text size="sm" c="dimmed">
          Its length and size are being measured. The price follows from that.
        </Text>
      </Group>
    </Card>
  );
}

function Choose({ video }: { video: VideoDetails }) {
  const [opened, setOpened] = useState(false);
  return (
    <Card title={video.autoProcess ? 'Ready to be processed' : 'Choose a quality'}>
      <Text size="sm" c="dimmed">
        {video.durationSeconds === null ? '' : `${showDuration(video.durationSeconds)} long. `}
        {video.failure?.message ??
          (video.autoProcess
            ? 'It will continue automatically.'
            : 'You see the exact price before anything is charged.')}
      </Text>
      <Group>
        <Button onClick={() => setOpened(true)}>See the price</Button>
      </Group>
      <QuoteDialog video={video} opened={opened} onClose={() => setOpened(false)} />
    </Card>
  );
}

function Working({ video }: { video: VideoDetails }) {
  return (
    <Card title={video.status === 'QUEUED' ? 'Waiting for its turn' : 'Processing'}>
      <ProcessingProgress video={video} detailed />
      {video.processing ? (
        <Text size="sm" c="dimmed">
          {video.quality ? `${showQuality(video.quality)}, ` : ''}
          {showCredits(video.processing.price)} credits set aside. You may leave this page.
        </Text>
      ) : null}
      <PlaysAlready video={video} />
    </Card>
  );
}

/** A video is watched from its smallest picture on, while the others are being made. */
function PlaysAlready({ video }: { video: VideoDetails }) {
  const [best] = video.playableRungs;
  if (best === undefined) return null;
  return (
    <Text size="sm" role="status">
      {showQuality(best)} plays already{video.quality ? `; ${showQuality(video.quality)} is being made` : ''}. Viewers
      can watch it now.
    </Text>
  );
}

/** Ready with less than was bought. */
function Shortfall({ video, reason }: { video: VideoDetails; reason: string }) {
  const bought = video.quality ? showQuality(video.quality) : 'All of it';
  return (
    <Alert color="yellow" title={`${bought} could not be made`} icon={<Icon name="alert" size={18} />}>
      <Stack gap="sm">
        <Text size="sm">{reason}</Text>
        <Text size="sm">The rest of what was set aside has been given back. To get more, upload the video again.</Text>
      </Stack>
    </Alert>
  );
}

function Failed({ video }: { video: VideoDetails }) {
  const [retry] = useMutation(RetryVideoDocument);
  const [quoting, setQuoting] = useState(false);
  const again = useAction(() => retry({ variables: { id: video.id } }));

  return (
    <Stack gap="sm">
      <Alert color="red" title="Processing failed" icon={<Icon name="alert" size={18} />}>
        <Stack gap="sm" align="flex-start">
          <Text size="sm">{video.failure?.message ?? 'There is no reason on record.'}</Text>
          {video.measured ? (
            <>
              <Text size="sm">Nothing was charged: what was set aside has been given back.</Text>
              <Group gap="xs">
                <Button
                  size="sm"
                  color="red.9"
                  loading={again.busy}
                  leftSection={<Icon name="retry" size={16} />}
                  onClick={() => void again.run()}
                >
                  Try again
                </Button>
                <Button size="sm" variant="default" onClick={() => setQuoting(true)}>
                  Choose another quality
                </Button>
              </Group>
            </>
          ) : (
            <Text size="sm">Upload another copy of the file; this one can be deleted.</Text>
          )}
        </Stack>
      </Alert>
      <FormError error={again.error} />
      <QuoteDialog video={video} opened={quoting} onClose={() => setQuoting(false)} />
    </Stack>
  );
}
