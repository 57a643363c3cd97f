import { Stack } from '@mantine/core';
import { useState } from 'react';
import { announce } from '../parts/Announcer.js';
import { PageHead } from '../parts/PageHead.js';
import { DraftForm } from './DraftForm.js';
import { DropArea } from './DropArea.js';
import { UploadCard } from './UploadCard.js';
import { UploadsSummary } from './UploadsSummary.js';
import { useUploads } from './useUploads.js';

/** Choose files, say what they are to become, watch them go. */
export default function UploadRoom() {
  const { queue, items } = useUploads();
  const [drafts, setDrafts] = useState<readonly File[]>([]);

  function take(files: readonly File[]): void {
    const fresh = files.filter((file) => {
      const interrupted = queue.unfinished(file);
      if (interrupted) queue.resume(interrupted.videoId, file);
      return !interrupted;
    });
    const resumed = files.length - fresh.length;
    if (resumed > 0) announce(resumed === 1 ? 'The upload goes on.' : `${resumed} uploads go on.`);
    setDrafts((before) => [...before, ...fresh]);
  }

  return (
    <>
      <PageHead title="Upload" note="An upload goes on after a lost connection, and after this page was closed." />
      <Stack gap="lg">
        <DropArea onFiles={take} compact={drafts.length > 0 || items.length > 0} />
        {drafts.length > 0 ? (
          <DraftForm
            files={drafts}
            onRemove={(file) => setDrafts((before) => before.filter((other) => other !== file))}
          />
        ) : null}
        {items.length > 0 ? (
          <section aria-labelledby="uploads-title">
            <UploadsSummary items={items} queue={queue} />
            <Stack gap="xs">
              {items.toReversed().map((item) => (
                <UploadCard key={item.videoId} item={item} queue={queue} />
              ))}
            </Stack>
          </section>
        ) : null}
      </Stack>
    </>
  );
}
