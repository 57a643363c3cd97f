import { words } from '#words/support.js';
import { useMutation } from '@apollo/client/react';
import {
  StaffReplayWebhookDocument,
  StaffWaitingDocument,
  StaffWebhookDocument,
  StaffWebhooksDocument,
} from '../../generated/graphql.js';
import { ReasonButton } from '../parts/ReasonButton.js';

export function ReplayButton({ id, type }: { id: string; type: string }) {
  const [replay] = useMutation(StaffReplayWebhookDocument, {
    refetchQueries: [StaffWebhooksDocument, StaffWebhookDocument, StaffWaitingDocument],
  });
  return (
    <ReasonButton
      verb={words.replayButton.replay}
      label={words.replayButton.replayOf(type)}
      title={words.replayButton.replayWebhook}
      done={words.replayButton.wasReplayed(type)}
      onConfirm={(reason) => replay({ variables: { id, reason } })}
    >
      {words.replayButton.serviceProcessesStoredAgain(type)}
    </ReasonButton>
  );
}
