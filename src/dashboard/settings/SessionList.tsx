import { words } from '#words/settings.js';
import { useMutation, useQuery } from '@apollo/client/react';
import { Badge, Button, Group, Skeleton, Text } from '@mantine/core';
import {
  EndOtherSessionsDocument,
  EndSessionDocument,
  SessionsDocument,
  type SessionsQuery,
} from '../generated/graphql.js';
import { showAge, showMoment } from '../lib/format.js';
import { ErrorState, FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import classes from './SettingsPage.module.css';
import { showUserAgent } from './userAgent.js';

type OneSession = NonNullable<SessionsQuery['viewer']>['sessions'][number];

/** The user's sessions; others can be ended here. */
export function SessionList() {
  const { data, error, refetch } = useQuery(SessionsDocument, { fetchPolicy: 'cache-and-network' });
  const [endOthers] = useMutation(EndOtherSessionsDocument);
  const sessions = data?.viewer?.sessions;
  const others = useAction(async () => {
    const answer = await endOthers();
    await refetch();
    const ended = answer.data?.endOtherSessions ?? 0;
    showToast({
      kind: 'good',
      title: words.sessions.endedOthers(ended),
      message: words.sessions.endedNote,
    });
  });

  if (!sessions) {
    return error ? (
      <ErrorState error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton height={64} role="status" aria-busy="true" aria-label={words.sessions.loading} />
    );
  }
  return (
    <>
      <ul className={classes['sessions']}>
        {sessions.map((session) => (
          <li key={session.id}>
            <SessionLine session={session} onEnded={() => void refetch()} />
          </li>
        ))}
      </ul>
      <FormError error={others.error} />
      <Group>
        <Button
          variant="default"
          disabled={sessions.length < 2}
          loading={others.busy}
          onClick={() => void others.run()}
        >
          {words.sessions.endOthers}
        </Button>
      </Group>
    </>
  );
}

function SessionLine({ session, onEnded }: { session: OneSession; onEnded: () => void }) {
  const [endSession] = useMutation(EndSessionDocument);
  const end = useAction(async () => {
    await endSession({ variables: { id: session.id } });
    onEnded();
  });
  const name = showUserAgent(session.userAgent);
  return (
    <>
      <div>
        <Text size="sm" fw={600} component="span">
          {name}
        </Text>{' '}
        {session.current ? (
          <Badge color="teal" tt="none">
            {words.sessions.current}
          </Badge>
        ) : null}
        <Text size="xs" c="dimmed" title={showMoment(session.createdAt)}>
          {words.sessions.signedIn(showAge(session.createdAt), session.ipAddress)}
        </Text>
        <FormError error={end.error} />
      </div>
      {session.current ? null : (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          loading={end.busy}
          aria-label={words.sessions.endOne(name)}
          onClick={() => void end.run()}
        >
          {words.sessions.end}
        </Button>
      )}
    </>
  );
}
