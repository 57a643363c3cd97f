import { words } from '#words/ownerView.js';
import { Button, Stack } from '@mantine/core';
import { AuthFrame } from '../auth/AuthFrame.js';
import { FormError } from '../parts/States.js';
import { useEndView } from './useEndView.js';

interface Props {
  readonly accountId: string;
  readonly email: string;
}

/** All that a member of staff sees once the time of a view has passed. */
export default function ViewOverPage({ accountId, email }: Props) {
  const end = useEndView(accountId);
  return (
    <AuthFrame title={words.over} note={words.overNote(email)}>
      <Stack>
        <FormError error={end.error} />
        <Button loading={end.busy} onClick={() => void end.run()}>
          {words.back}
        </Button>
      </Stack>
    </AuthFrame>
  );
}
