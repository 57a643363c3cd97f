import { words } from '#words/upload.js';
import { Button, FileButton, Group, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { showBytes, showMoment } from '../lib/format.js';
import classes from './VideoPage.module.css';
import type { VideoDetails } from './videoDetails.js';
import { UploadCard } from '../upload/UploadCard.js';
import { useUploads } from '../upload/useUploads.js';

/** The upload of one video: its progress on this page, or a way to resume one that was begun elsewhere. */
export function ContinueUpload({ video }: { video: VideoDetails }) {
  const { queue, items } = useUploads();
  const [wrongSize, setWrongSize] = useState(false);
  const { upload } = video;
  const running = items.find(({ videoId, state }) => videoId === video.id && state !== 'failed');
  if (running) return <UploadCard item={running} queue={queue} />;

  function take(file: File | null): void {
    if (!file || !upload) return;
    setWrongSize(file.size !== upload.sizeBytes);
    if (file.size !== upload.sizeBytes) return;
    queue.adopt(
      {
        videoId: video.id,
        url: upload.url,
        title: video.title,
        fileName: file.name,
        sizeBytes: file.size,
        lastModified: file.lastModified,
      },
      file,
    );
  }

  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="continue-title">
      <Title order={2} id="continue-title">
        {words.continueUpload.uploadIncomplete}
      </Title>
      <Text size="sm" c="dimmed">
        {upload
          ? words.continueUpload.uploadStartedOnAnother(showBytes(upload.sizeBytes), showMoment(upload.expiresAt))
          : words.continueUpload.uploadHasExpiredDelete}
      </Text>
      {upload ? (
        <Group>
          <FileButton onChange={take}>
            {(props) => <Button {...props}>{words.continueUpload.chooseFile}</Button>}
          </FileButton>
          {wrongSize ? (
            <Text size="sm" c="red" role="alert">
              {words.continueUpload.fileHasDifferentSize}
            </Text>
          ) : null}
        </Group>
      ) : null}
    </section>
  );
}
