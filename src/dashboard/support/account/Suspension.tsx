import { useMutation } from '@apollo/client/react';
import { Alert } from '@mantine/core';
import { useViewer } from '../../app/viewer.js';
import { StaffAuditLogDocument, StaffResumeDocument, StaffSuspendDocument } from '../../generated/graphql.js';
import { showMoment } from '../../lib/format.js';
import { Icon } from '../../parts/Icon.js';
import { ReasonButton } from '../parts/ReasonButton.js';
import type { StaffAccount } from './staffAccount.js';

/** Suspends or resumes an account. Staff cannot do that to their own. */
export function Suspension({ account }: { account: StaffAccount }) {
  const isOwn = useViewer().account.id === account.id;
  const [suspend] = useMutation(StaffSuspendDocument, { refetchQueries: [StaffAuditLogDocument] });
  const [resume] = useMutation(StaffResumeDocument, { refetchQueries: [StaffAuditLogDocument] });
  if (isOwn) return null;

  const accountId = account.id;
  return account.suspendedAt ? (
    <ReasonButton
      verb="Resume"
      title="Resume this account?"
      done={`${account.email} is active again`}
      onConfirm={(reason) => resume({ variables: { accountId, reason } })}
    >
      The keys of {account.email} mint tokens again from the next request on.
    </ReasonButton>
  ) : (
    <ReasonButton
      verb="Suspend"
      title="Suspend this account?"
      isDestructive
      done={`${account.email} is suspended`}
      onConfirm={(reason) => suspend({ variables: { accountId, reason } })}
    >
      From the next request on, every key of {account.email} is refused, nothing plays, and its owner can look but not
      change anything. It can be resumed at any time.
    </ReasonButton>
  );
}

export function SuspendedNotice({ account: { suspendedAt, suspendedReason } }: { account: StaffAccount }) {
  if (!suspendedAt) return null;
  return (
    <Alert
      color="red"
      mb="md"
      title={`Suspended since ${showMoment(suspendedAt)}`}
      icon={<Icon name="alert" size={18} />}
    >
      {suspendedReason}
    </Alert>
  );
}
