import { words } from '#words/signIn.js';
import { useApolloClient } from '@apollo/client/react';
import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useViewer } from '../session/viewer.js';
import { ViewerDocument } from '../generated/graphql.js';
import { CodeForm } from './CodeForm.js';

interface Props {
  /** Whether it takes the focus at once, as in a dialog. */
  readonly focuses?: boolean;
  readonly children: ReactNode;
}

/** Shows what needs the second factor. If the session began without it, a form asks for a code first. */
export function SecondFactorFirst({ focuses = true, children }: Props) {
  const { twoFactorEnabled, twoFactorPassed } = useViewer();
  const client = useApolloClient();
  if (!twoFactorEnabled || twoFactorPassed) return children;
  return (
    <Stack maw={400}>
      <Text size="sm">{words.code.first}</Text>
      <CodeForm
        canTrust={false}
        focuses={focuses}
        onSignedIn={() => void client.refetchQueries({ include: [ViewerDocument] })}
      />
    </Stack>
  );
}
