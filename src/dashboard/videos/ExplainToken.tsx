import { words } from '#words/video.js';
import { useMutation } from '@apollo/client/react';
import { Button, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { CreatePreviewTokenDocument } from '../generated/graphql.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import classes from './ExplainToken.module.css';
import { explainToken, type ExplainedToken, type TokenFinding } from './explainToken.js';
import page from './VideoPage.module.css';
import type { VideoDetails } from './videoDetails.js';

/** `null`: the pasted text is not a token. */
type Answer = ExplainedToken | null | undefined;

/** "Why does this not play?": paste a token to read its contents. It stays in this page. */
export function ExplainToken({ video }: { video: VideoDetails }) {
  const [token, setToken] = useState('');
  const [answer, setAnswer] = useState<Answer>();
  const [createToken] = useMutation(CreatePreviewTokenDocument);
  const explain = async (text: string): Promise<void> => setAnswer(await explainToken(text, video));
  const make = useAction(async () => {
    const { data } = await createToken({ variables: { videoId: video.id } });
    const fresh = data?.createPreviewToken.token ?? '';
    setToken(fresh);
    await explain(fresh);
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void explain(token);
  }

  return (
    <section className={`panel ${page['card']}`} aria-labelledby="token-title">
      <Title order={2} id="token-title">
        {words.explainToken.tokenInspector}
      </Title>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Textarea
            label={words.explainToken.playbackToken}
            description={words.explainToken.readOnPageOnly}
            placeholder="eyJhbGciOiJFZERTQSIs…"
            autosize
            minRows={2}
            maxRows={5}
            spellCheck={false}
            classNames={{ input: classes['token'] ?? '' }}
            value={token}
            onChange={(event) => {
              setToken(event.currentTarget.value);
              setAnswer(undefined);
            }}
          />
          <Group gap="xs">
            <Button type="submit" size="xs" disabled={token.trim() === ''}>
              {words.explainToken.explain}
            </Button>
            {video.playableRungs.length > 0 ? (
              <Button size="xs" variant="default" loading={make.busy} onClick={() => void make.run()}>
                {words.explainToken.generateSample}
              </Button>
            ) : null}
          </Group>
          <FormError error={make.error} />
        </Stack>
      </form>
      <div role="status">{answer === undefined ? null : <Explained answer={answer} />}</div>
    </section>
  );
}

function Explained({ answer }: { answer: ExplainedToken | null }) {
  if (!answer) {
    return <Finding finding={{ kind: 'bad', text: words.explainToken.notTokenTokenHas }} />;
  }
  return (
    <Stack gap="sm">
      <ul className={classes['findings']}>
        {answer.findings.map((finding) => (
          <li key={finding.text}>
            <Finding finding={finding} />
          </li>
        ))}
      </ul>
      <details className={classes['raw']}>
        <summary>{words.explainToken.headerClaims}</summary>
        <pre>{JSON.stringify({ header: answer.header, claims: answer.claims }, null, 2)}</pre>
      </details>
    </Stack>
  );
}

function Finding({ finding: { kind, text } }: { finding: TokenFinding }) {
  return (
    <div className={classes['finding']} data-kind={kind}>
      <Icon name={kind === 'good' ? 'check' : kind === 'bad' ? 'close' : 'alert'} size={16} />
      <Text size="sm" component="span">
        {text}
      </Text>
    </div>
  );
}
