import { words } from '#words/supportAccount.js';
import { useMutation } from '@apollo/client/react';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { leaveFor } from '../../session/view.js';
import { useViewer } from '../../session/viewer.js';
import { ViewAsOwnerDocument } from '../../generated/graphql.js';
import { ReasonDialog } from '../parts/ReasonDialog.js';
import type { StaffAccount } from './staffAccount.js';

/** Begins a view of the account as its owner sees it. Hidden for one's own account and for those of colleagues. */
export function ViewAsOwner({ account: { id, email, role } }: { account: StaffAccount }) {
  const isOwn = useViewer().account.id === id;
  const [asking, setAsking] = useState(false);
  const [view] = useMutation(ViewAsOwnerDocument);
  if (isOwn || role === 'SUPPORT') return null;
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {words.viewAsOwner.view}
      </Button>
      <ReasonDialog
        opened={asking}
        title={words.viewAsOwner.title}
        verb={words.viewAsOwner.view}
        onClose={() => setAsking(false)}
        onConfirm={async (reason) => {
          await view({ variables: { accountId: id, reason } });
          // Everything on this page belongs to the member of staff.
          leaveFor('/');
        }}
      >
        {words.viewAsOwner.note(email)}
      </ReasonDialog>
    </>
  );
}
