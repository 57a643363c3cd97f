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
      verb="Replay"
      label={`Replay ${type}`}
      title="Replay this webhook?"
      done={`${type} is worked through again`}
      onConfirm={(reason) => replay({ variables: { id, reason } })}
    >
      {type} is worked through again from its stored body, as if it had just come. What was booked already is not booked
      twice.
    </ReasonButton>
  );
}
