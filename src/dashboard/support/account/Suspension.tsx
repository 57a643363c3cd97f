import { words } from '#words/supportAccount.js';
import { useMutation } from '@apollo/client/react';
import { Alert } from '@mantine/core';
import { useViewer } from '../../session/viewer.js';
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
      verb={words.suspension.resume}
      title={words.suspension.resumeAccount}
      done={words.suspension.activeAgain(account.email)}
      onConfirm={(reason) => resume({ variables: { accountId, reason } })}
    >
      {words.suspension.keysWorkAgainImmediately(account.email)}
    </ReasonButton>
  ) : (
    <ReasonButton
      verb={words.suspension.suspend}
      title={words.suspension.suspendAccount}
      isDestructive
      done={words.suspension.suspended(account.email)}
      onConfirm={(reason) => suspend({ variables: { accountId, reason } })}
    >
      {words.suspension.allKeysRefusedImmediately(account.email)}
    </ReasonButton>
  );
}

export function SuspendedNotice({ account: { suspendedAt, suspendedReason } }: { account: StaffAccount }) {
  if (!suspendedAt) return null;
  return (
    <Alert
      color="red"
      mb="md"
      title={words.suspension.suspendedSince(showMoment(suspendedAt))}
      icon={<Icon name="alert" size={18} />}
    >
      {suspendedReason}
    </Alert>
  );
}
