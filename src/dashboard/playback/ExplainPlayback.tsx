import { words } from '#words/playback.js';
import { useApolloClient, useMutation } from '@apollo/client/react';
import { Button, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { CreatePreviewTokenDocument, ExplainPlaybackDocument, type ExplanationFragment } from '../generated/graphql.js';
import { useAction } from '../parts/useAction.js';
import { decodedToken } from './decodedToken.js';
import classes from './ExplainForm.module.css';
import { ExplainForm } from './ExplainForm.js';
import { ExplanationView } from './ExplanationView.js';

interface Props {
  readonly video: { readonly id: string; readonly playableRungs: readonly unknown[] };
  /** Of the surrounding page's cards. */
  readonly className: string;
}

/** "Why does this not play?": explains a token, a view or a key by the rules of the service. */
export function ExplainPlayback({ video, className }: Props) {
  const [subject, setSubject] = useState('');
  const [answer, setAnswer] = useState<ExplanationFragment>();
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
    const { data } = await createToken({ variables: { videoId: video.id }, fetchPolicy: 'no-cache' });
    const fresh = data?.createPreviewToken.token ?? '';
    setSubject(fresh);
    await explain.run(fresh, null);
  });
  const isElsewhere = answer?.videoId != null && answer.videoId !== video.id;
  const claims = answer?.subject === 'TOKEN' ? decodedToken(subject) : null;

  return (
    <section className={className} aria-labelledby="explain-title">
      <Title order={2} id="explain-title">
        {words.owner.title}
      </Title>
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
        {video.playableRungs.length > 0 ? (
          <Button size="xs" variant="default" loading={make.busy} onClick={() => void make.run()}>
            {words.owner.generateSample}
          </Button>
        ) : null}
      </ExplainForm>
      <div role="status">
        {answer ? (
          <Stack gap="sm">
            <ExplanationView explanation={answer} />
            {isElsewhere ? (
              <Text size="sm">
                {words.owner.anotherVideo} <Link to={`/videos/${answer.videoId}`}>{words.owner.openVideo}</Link>
              </Text>
            ) : null}
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
