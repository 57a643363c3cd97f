import { words } from '#words/upload.js';
import { ActionIcon, Anchor, Button, FileButton, Group, Progress, Text } from '@mantine/core';
import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { Link } from 'react-router';
import { lineOf } from '../session/failures.js';
import { VideoDocument } from '../generated/graphql.js';
import { showBytes, showTimeLeft } from '../lib/format.js';
import { ConfirmDialog } from '../parts/ConfirmDialog.js';
import { Icon } from '../parts/Icon.js';
import type { Quotes } from '../processing/useQuotes.js';
import { isSameFile } from './keptUploads.js';
import type { UploadItem } from './types.js';
import classes from './UploadCard.module.css';
import { UploadOutcome } from './UploadOutcome.js';
import type { UploadQueue } from './UploadQueue.js';

interface Props {
  readonly item: UploadItem;
  readonly queue: UploadQueue;
}

interface CardProps extends Props {
  /** The requested prices. The page of a single upload shows them elsewhere. */
  readonly quotes?: Quotes;
}

/** One upload: progress, speed, time left, and actions. */
export function UploadCard({ item, queue, quotes }: CardProps) {
  // A file that was sent completely may still be unusable.
  const { data } = useQuery(VideoDocument, { variables: { id: item.videoId }, skip: item.state !== 'done' });
  const isRejected = data?.video?.status === 'FAILED' && !data.video.measured;
  const percent = item.sizeBytes === 0 ? 100 : (item.sentBytes / item.sizeBytes) * 100;
  return (
    <article className={`panel ${classes['card']}`} aria-label={words.uploadCard.upload(item.title)}>
      <div className={classes['head']}>
        <Link to={`/videos/${item.videoId}`} className={`${classes['title']} clip`}>
          {item.title}
        </Link>
        <Actions item={item} queue={queue} />
      </div>
      <Progress.Root size="md">
        <Progress.Section
          value={percent}
          color={isRejected ? 'red' : colorOf(item)}
          aria-label={words.uploadCard.uploading(item.title)}
          aria-valuetext={words.uploadCard.percent(Math.floor(percent))}
        />
      </Progress.Root>
      <Text
        size="xs"
        c={item.state === 'failed' ? 'red' : 'dimmed'}
        className="num"
        role={item.error ? 'alert' : undefined}
      >
        {isRejected ? words.uploadCard.rejected(showBytes(item.sizeBytes)) : showState(item, percent)}
      </Text>
      {item.state === 'done' ? <UploadOutcome videoId={item.videoId} quotes={quotes} /> : null}
      {item.state === 'lostFile' ? <ChooseAgain item={item} queue={queue} /> : null}
    </article>
  );
}

function Actions({ item, queue }: Props) {
  const [asking, setAsking] = useState(false);
  const { videoId, state, title } = item;
  const over = state === 'done' || state === 'failed';

  return (
    <Group gap={4} wrap="nowrap">
      {state === 'done' ? (
        <Anchor component={Link} to={`/videos/${videoId}`} size="sm">
          {words.uploadCard.open}
        </Anchor>
      ) : null}
      {state === 'sending' || state === 'waiting' ? (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={words.uploadCard.pause(title)}
          onClick={() => queue.pause(videoId)}
        >
          <Icon name="pause" />
        </ActionIcon>
      ) : null}
      {state === 'paused' ? (
        <ActionIcon variant="subtle" aria-label={words.uploadCard.resume(title)} onClick={() => queue.resume(videoId)}>
          <Icon name="play" />
        </ActionIcon>
      ) : null}
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={over ? words.uploadCard.removeFromList(title) : words.uploadCard.cancelUpload(title)}
        onClick={() => (over ? queue.remove(videoId) : setAsking(true))}
      >
        <Icon name="close" />
      </ActionIcon>
      <ConfirmDialog
        opened={asking}
        title={words.uploadCard.cancelUploadTitle}
        verb={words.uploadCard.confirmCancelUpload}
        otherwise={words.uploadCard.keepUploading}
        onClose={() => setAsking(false)}
        onConfirm={() => queue.discard(videoId)}
      >
        {words.uploadCard.uploadedPartVideoDeleted(title)}
      </ConfirmDialog>
    </Group>
  );
}

/** After a reload, a page may not open a file by itself. */
function ChooseAgain({ item, queue }: Props) {
  const [wrong, setWrong] = useState(false);

  function take(file: File | null): void {
    if (!file) return;
    setWrong(!isSameFile(item, file));
    if (isSameFile(item, file)) queue.resume(item.videoId, file);
  }

  return (
    <Group gap="sm">
      <FileButton onChange={take}>
        {(props) => (
          <Button {...props} size="xs" variant="default">
            {words.uploadCard.chooseAgain(item.fileName)}
          </Button>
        )}
      </FileButton>
      {wrong ? (
        <Text size="xs" c="red" role="alert">
          {words.uploadCard.thatsDifferentFileHas}
        </Text>
      ) : null}
    </Group>
  );
}

function colorOf({ state }: UploadItem): string {
  if (state === 'failed') return 'red';
  if (state === 'done') return 'teal';
  return state === 'sending' ? 'stream' : 'gray';
}

function showState(item: UploadItem, percent: number): string {
  const sent = words.uploadCard.of(Math.floor(percent), showBytes(item.sizeBytes));
  switch (item.state) {
    case 'sending': {
      if (!item.bytesPerSecond) return sent;
      const secondsLeft = (item.sizeBytes - item.sentBytes) / item.bytesPerSecond;
      return `${sent} · ${showBytes(item.bytesPerSecond)}/s · ${showTimeLeft(secondsLeft)}`;
    }
    case 'waiting':
      return item.error ? words.uploadCard.offlineResumesAutomatically(sent) : words.uploadCard.queued(sent);
    case 'paused':
      return words.uploadCard.paused(sent);
    case 'lostFile':
      return words.uploadCard.interruptedChooseSameFile(sent);
    case 'done':
      return words.uploadCard.uploaded(showBytes(item.sizeBytes));
    case 'failed':
      return lineOf(item.error);
  }
}
