import { words } from '#words/sessionDialog.js';
import { useApolloClient } from '@apollo/client/react';
import { Modal, Text } from '@mantine/core';
import { SignInForm } from '../auth/SignInForm.js';
import { ViewerDocument } from '../generated/graphql.js';
import { session } from '../session/session.js';
import { leaveFor } from '../session/view.js';
import { useViewer } from '../session/viewer.js';

/** Asks for the password when the session ends during work. The page below stays as it is. */
export default function SessionDialog() {
  const client = useApolloClient();
  const viewer = useViewer();

  async function resume(): Promise<void> {
    // The new session is in no view.
    if (viewer.view) return leaveFor('/');
    const { data } = await client.query({ query: ViewerDocument, fetchPolicy: 'network-only' });
    // Another user signed in: nothing of the first one may stay on the page.
    if (data?.viewer?.id !== viewer.id) return location.reload();
    session.begin();
    await client.refetchQueries({ include: 'active' });
  }

  return (
    <Modal opened onClose={() => undefined} withCloseButton={false} title={words.sessionHasEnded}>
      <Text size="sm" c="dimmed" mb="md">
        {words.signAgainContinueWhat}
      </Text>
      {/* In a view, everything else of the viewer is the owner's. */}
      <SignInForm email={viewer.view?.staffEmail ?? viewer.email} onSignedIn={() => void resume()} />
    </Modal>
  );
}
