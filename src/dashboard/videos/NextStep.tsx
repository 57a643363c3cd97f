import { words as cancelWords } from '#words/cancelling.js';
import { words } from '#words/video.js';
import { useApolloClient, useMutation } from '@apollo/client/react';
import { Alert, Button, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { isTestMode } from '../session/mode.js';
import { RetryVideoDocument } from '../generated/graphql.js';
import { showCredits } from '../lib/credits.js';
import { showDuration } from '../lib/format.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { ContinueUpload } from './ContinueUpload.js';
import { cancelProcessing } from '../processing/cancelProcessing.js';
import { ProcessingProgress } from '../processing/ProcessingProgress.js';
import { QuoteDialog } from '../processing/QuoteDialog.js';
import classes from './VideoPage.module.css';
import type { VideoDetails } from './videoDetails.js';
import { needsCredits, showQuality } from '../lib/videoStates.js';

/** What happens now, or what the owner has to do or know; empty once the whole ladder is ready. */
export default function NextStep({ video }: { video: VideoDetails }) {
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
    <Card title={words.nextStep.analyzingFile}>
      <Group gap="sm" role="status">
        <Loader size="sm" />
        <Text size="sm" c="dimmed">
          {words.nextStep.measuringLengthSizeGet}
        </Text>
      </Group>
    </Card>
  );
}

function Choose({ video }: { video: VideoDetails }) {
  const [opened, setOpened] = useState(false);
  return (
    <Card title={video.autoProcess ? words.nextStep.readyProcess : words.nextStep.chooseQuality}>
      <Text size="sm" c="dimmed">
        {video.durationSeconds === null ? '' : words.nextStep.long(showDuration(video.durationSeconds))}
        {(needsCredits(video) ? words.nextStep.continuesWithCredits : video.failure?.message) ??
          (video.autoProcess ? words.nextStep.processingContinuesAutomatically : words.nextStep.youllSeeExactPrice)}
      </Text>
      <Group>
        <Button onClick={() => setOpened(true)}>{words.nextStep.seePrice}</Button>
      </Group>
      <QuoteDialog video={video} opened={opened} onClose={() => setOpened(false)} />
    </Card>
  );
}

function Working({ video }: { video: VideoDetails }) {
  return (
    <Card title={video.status === 'QUEUED' ? words.nextStep.queued : words.nextStep.processing}>
      <ProcessingProgress video={video} detailed />
      {video.processing ? (
        <Text size="sm" c="dimmed">
          {words.nextStep.creditsSetAsideMay(
            video.quality ? showQuality(video.quality) : undefined,
            showCredits(video.processing.price),
          )}
        </Text>
      ) : null}
      <PlaysAlready video={video} />
      {video.status === 'QUEUED' && !isTestMode ? <Cancel video={video} /> : null}
    </Card>
  );
}

/** As long as no worker has begun with it. */
function Cancel({ video }: { video: VideoDetails }) {
  const client = useApolloClient();
  const cancel = useAction(() => cancelProcessing(client, [video]));
  return (
    <Group>
      <Button variant="default" size="sm" loading={cancel.busy} onClick={() => void cancel.run()}>
        {cancelWords.cancel}
      </Button>
    </Group>
  );
}

/** A video can be watched as soon as its smallest rendition is ready, while the others are being made. */
function PlaysAlready({ video }: { video: VideoDetails }) {
  const [best] = video.playableRungs;
  if (best === undefined) return null;
  return (
    <Text size="sm" role="status">
      {words.nextStep.playsAlreadyViewersCan(showQuality(best), video.quality ? showQuality(video.quality) : undefined)}
    </Text>
  );
}

/** Ready, but with less than was bought. */
function Shortfall({ video, reason }: { video: VideoDetails; reason: string }) {
  const bought = video.quality ? showQuality(video.quality) : words.nextStep.video;
  return (
    <Alert color="yellow" title={words.nextStep.couldNotProcessed(bought)} icon={<Icon name="alert" size={18} />}>
      <Stack gap="sm">
        <Text size="sm">{reason}</Text>
        <Text size="sm">{words.nextStep.unusedCreditsWereReturned}</Text>
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
      <Alert color="red" title={words.nextStep.processingFailed} icon={<Icon name="alert" size={18} />}>
        <Stack gap="sm" align="flex-start">
          <Text size="sm">{video.failure?.message ?? words.nextStep.noReasonWasRecorded}</Text>
          {isTestMode ? null : video.measured ? (
            <>
              <Text size="sm">{words.nextStep.wereNotChargedCredits}</Text>
              <Group gap="xs">
                <Button
                  size="sm"
                  color="red.9"
                  loading={again.busy}
                  leftSection={<Icon name="retry" size={16} />}
                  onClick={() => void again.run()}
                >
                  {words.nextStep.tryAgain}
                </Button>
                <Button size="sm" variant="default" onClick={() => setQuoting(true)}>
                  {words.nextStep.chooseAnotherQuality}
                </Button>
              </Group>
            </>
          ) : (
            <Text size="sm">{words.nextStep.uploadAnotherCopyFile}</Text>
          )}
        </Stack>
      </Alert>
      <FormError error={again.error} />
      <QuoteDialog video={video} opened={quoting} onClose={() => setQuoting(false)} />
    </Stack>
  );
}
