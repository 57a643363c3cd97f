import { words } from '#words/support.js';
import { useApolloClient } from '@apollo/client/react';
import { Button, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { CodeForm } from '../auth/CodeForm.js';
import { ViewerDocument } from '../generated/graphql.js';
import { PageHead } from '../parts/PageHead.js';
import { EmptyState } from '../parts/States.js';

/** Required before the console opens: staff enable two-factor authentication, and enter a code in each session. */
export function SecondFactor({ isOn }: { isOn: boolean }) {
  const client = useApolloClient();
  return (
    <>
      <PageHead title={words.secondFactor.support} />
      <div className="panel">
        {isOn ? (
          <Stack p="lg" maw={420} mx="auto">
            <Text fw={600}>{words.secondFactor.confirm}</Text>
            <CodeForm canTrust={false} onSignedIn={() => void client.refetchQueries({ include: [ViewerDocument] })} />
          </Stack>
        ) : (
          <EmptyState
            icon="support"
            title={words.secondFactor.turnOnTwoFactor}
            advice={words.secondFactor.staffCanSeeChange}
          >
            <Button component={Link} to="/settings/security">
              {words.secondFactor.openSettings}
            </Button>
          </EmptyState>
        )}
      </div>
    </>
  );
}
