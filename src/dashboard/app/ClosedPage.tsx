import { words } from '#words/closing.js';
import { useMutation } from '@apollo/client/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import { auth } from '../session/authClient.js';
import { AuthFrame } from '../auth/AuthFrame.js';
import { ReopenAccountDocument } from '../generated/graphql.js';
import { showDay } from '../lib/format.js';
import { DownloadData } from '../parts/DownloadData.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { session } from '../session/session.js';

/** All that the owner of a closed account sees: until when it can be reopened. */
export default function ClosedPage({ eraseAfter }: { eraseAfter: string }) {
  const [reopenAccount] = useMutation(ReopenAccountDocument);
  const reopen = useAction(async () => {
    await reopenAccount();
    location.assign('/');
  });
  const signOut = useAction(async () => {
    await auth.signOut();
    session.leave();
    location.assign('/sign-in');
  });
  return (
    <AuthFrame title={words.closed.title} note={words.closed.note(showDay(eraseAfter))}>
      <Stack>
        <Text size="sm" c="dimmed">
          {words.closed.reopenNote}
        </Text>
        <FormError error={reopen.error ?? signOut.error} />
        <Group>
          <Button loading={reopen.busy} onClick={() => void reopen.run()}>
            {words.closed.reopen}
          </Button>
          <DownloadData />
          <Button variant="default" loading={signOut.busy} onClick={() => void signOut.run()}>
            {words.closed.signOut}
          </Button>
        </Group>
      </Stack>
    </AuthFrame>
  );
}
