import { words } from '#words/upload.js';
import { Stack } from '@mantine/core';
import { useViewer } from '../session/viewer.js';
import { AuthError } from '../session/authClient.js';
import { announce } from '../parts/Announcer.js';
import { PageHead } from '../parts/PageHead.js';
import { ErrorState } from '../parts/States.js';
import { DraftForm } from './DraftForm.js';
import { DropArea } from './DropArea.js';
import { UploadsList } from './UploadsList.js';
import { useDrafts } from './useDrafts.js';
import { useUploads } from './useUploads.js';

/** Choose files, set their options, watch their progress. */
export default function UploadPage() {
  const { queue, items } = useUploads();
  const { store, drafts } = useDrafts();
  const { account, view } = useViewer();
  // A link may lead here: say why files are refused.
  const code = view ? 'VIEW_READ_ONLY' : account.suspended ? 'ACCOUNT_SUSPENDED' : undefined;
  const refusal = code && new AuthError(code, '');

  function take(files: readonly File[]): void {
    const fresh = files.filter((file) => {
      const interrupted = queue.unfinished(file);
      if (interrupted) queue.resume(interrupted.videoId, file);
      return !interrupted;
    });
    const resumed = files.length - fresh.length;
    if (resumed > 0)
      announce(resumed === 1 ? words.uploadPage.uploadResumed : words.uploadPage.uploadsResumed(resumed));
    store.add(fresh);
  }

  return (
    <>
      <PageHead title={words.uploadPage.upload} note={words.uploadPage.uploadsResumeAfterLost} />
      <Stack gap="lg">
        {refusal ? (
          <ErrorState error={refusal} />
        ) : (
          <DropArea onFiles={take} compact={drafts.files.length > 0 || items.length > 0} />
        )}
        {drafts.files.length > 0 && !refusal ? <DraftForm /> : null}
        {items.length > 0 ? <UploadsList items={items} queue={queue} /> : null}
      </Stack>
    </>
  );
}
