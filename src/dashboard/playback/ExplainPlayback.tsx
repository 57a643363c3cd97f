import { words } from '#words/playback.js';
import type { ApolloClient } from '@apollo/client';
import { useApolloClient, useMutation } from '@apollo/client/react';
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import {
  CreatePreviewTokenDocument,
  ExplainPlaybackDocument,
  NewestReadyDocument,
  type ExplanationFragment,
} from '../generated/graphql.js';
import { Changes } from '../parts/Changes.js';
import { useAction } from '../parts/useAction.js';
import { decodedToken } from './pasted.js';
import classes from './ExplainForm.module.css';
import { ExplainForm } from './ExplainForm.js';
import { ExplanationView } from './ExplanationView.js';

interface Props {
  /** Of the sample; null for the newest video that plays. */
  readonly videoId: string | null;
}

/** "Why does this not play?": explains a token, a view or a key by the rules of the service. */
export function ExplainPlayback({ videoId }: Props) {
  const [subject, setSubject] = useState('');
  const [answer, setAnswer] = useState<ExplanationFragment>();
  const [nothingPlays, setNothingPlays] = useState(false);
  const client = useApolloClient();
  const [createToken] = useMutation(CreatePreviewTokenDocument);
  const explain = useAction(async (asked: string, site: string | null) => {
    // Not cached: a token is a secret for as long as it is valid, and the answer depends on the time.
    const { data } = await client.query({
      query: ExplainPlaybackDocument,
      variables: { subject: asked, site },
      fetchPolicy: 'no-cache',
    });
    setAnswer(data?.explainPlayback);
  });
  const make = useAction(async () => {
    const sampled = videoId ?? (await newestThatPlays(client));
    setNothingPlays(sampled === undefined);
    if (sampled === undefined) return;
    const { data } = await createToken({ variables: { videoId: sampled }, fetchPolicy: 'no-cache' });
    const fresh = data?.createPreviewToken.token ?? '';
    setSubject(fresh);
    await explain.run(fresh, null);
  });
  const claims = answer?.subject === 'TOKEN' ? decodedToken(subject) : null;

  return (
    <section className={`panel ${classes['card']}`} aria-label={words.owner.title}>
      <ExplainForm
        subject={subject}
        onSubject={(text) => {
          setSubject(text);
          setAnswer(undefined);
        }}
        busy={explain.busy}
        error={explain.error ?? make.error}
        onExplain={(asked, site) => void explain.run(asked, site)}
      >
        <Changes>
          <Button size="xs" variant="default" loading={make.busy} onClick={() => void make.run()}>
            {words.owner.generateSample}
          </Button>
        </Changes>
      </ExplainForm>
      <div role="status">
        {nothingPlays ? <Text size="sm">{words.owner.nothingPlays}</Text> : null}
        {answer ? (
          <Stack gap="sm">
            <ExplanationView explanation={answer} />
            {answer.videoId === null ? null : (
              <Text size="sm">
                <Link to={`/videos/${answer.videoId}`}>{words.owner.openVideo}</Link>
              </Text>
            )}
            {claims ? (
              <details className={classes['claims']}>
                <summary>{words.owner.headerClaims}</summary>
                <pre>{JSON.stringify(claims, null, 2)}</pre>
              </details>
            ) : null}
          </Stack>
        ) : null}
      </div>
    </section>
  );
}

async function newestThatPlays(client: ApolloClient): Promise<string | undefined> {
  const { data } = await client.query({ query: NewestReadyDocument, fetchPolicy: 'no-cache' });
  return data?.videos.edges.find(({ node }) => node.playableRungs.length > 0)?.node.id;
}
