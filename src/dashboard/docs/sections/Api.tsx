import { Skeleton } from '@mantine/core';
import { ErrorState } from '../../parts/States.js';
import classes from '../docs.module.css';
import { endpointsOf, useOpenApi, type Endpoint } from '../openApi.js';
import { Code } from '../parts/Code.js';
import { Inline, Part, Section, Table } from '../parts/Text.js';

const ENVELOPE = `{ "success": true, "data": { … } }

{ "success": false, "error": { "code": "VIDEO_NOT_FOUND", "message": "…", "status": 404 } }`;

const WALK = (origin: string) => `cursor=
while :; do
  page=$(curl -s -G -H "x-service-key: $DHARA_KEY" ${origin}/v1/video \\
    -d limit=100 \${cursor:+--data-urlencode cursor=$cursor})
  echo "$page" | jq -r '.data[] | [.id, .status, .title] | @tsv'
  cursor=$(echo "$page" | jq -r '.pagination.nextCursor // empty')
  [ -n "$cursor" ] || break
done`;

/** An overview of /v1, from the same document as the reference. */
export function Api() {
  const { document, error, reload } = useOpenApi();
  return (
    <Section id="api" title="The /v1 API">
      <p>
        A read-only API for your servers: list videos and create playback tokens. Every field, parameter and header is
        in the <a href="/docs/api">API reference</a>. Tools can read <a href="/openapi.json">openapi.json</a> (OpenAPI
        3.1).
      </p>
      {document?.info.description
        .split('\n\n')
        .slice(1)
        .map((paragraph) => (
          <p key={paragraph}>
            <Inline text={paragraph} />
          </p>
        ))}
      <Part id="api-endpoints" title="Endpoints" />
      {document
        ? endpointsOf(document).map((endpoint) => <Operation key={endpoint.operationId} of={endpoint} />)
        : null}
      {!document && error ? <ErrorState error={error} onRetry={reload} /> : null}
      {!document && !error ? <Skeleton height={380} role="status" aria-busy="true" /> : null}
      <Part id="api-answers" title="Responses" />
      <p>
        <code>success</code> says whether the request worked. Rely on <code>error.code</code>, whose meaning never
        changes; <code>error.message</code> is for people.
      </p>
      <Code title="The two shapes of a response" code={ENVELOPE} />
      <Part id="api-lists" title="Pagination" />
      <p>
        Lists have pages of up to 100 videos. Follow <code>pagination.nextCursor</code>: each video appears once, even
        if others are added or deleted meanwhile.
      </p>
      <Code title="All videos, with curl and jq" code={WALK(location.origin)} />
      <Part id="api-quota" title="Daily quota" />
      <p>
        Each key can create a fixed number of tokens per UTC day. Only created tokens count, and no other request is
        limited. A new key starts with the tokens that keys revoked today have used, so revoking a key does not reset
        the quota. Each response of the token endpoint has these headers:
      </p>
      <Table
        label="Headers of the daily quota"
        head={['Header', 'Meaning']}
        rows={[
          [<code key="h">X-RateLimit-Limit</code>, 'Tokens per day of this key'],
          [<code key="h">X-RateLimit-Remaining</code>, 'Tokens left today, after this request'],
          [<code key="h">X-RateLimit-Reset</code>, 'When the quota resets, as a Unix timestamp in seconds'],
          [<code key="h">Retry-After</code>, 'Only with 429 and 503: seconds to wait before retrying'],
        ]}
      />
      <p>
        Support can raise the quota of a key. The change takes effect immediately. The events <code>quota.warning</code>{' '}
        and <code>quota.reached</code> tell your server when a key has used 80% and all of its quota.
      </p>
    </Section>
  );
}

function Operation({ of: { method, path, summary, description, operationId, responses } }: { of: Endpoint }) {
  const sample = responses['200']?.content?.['application/json']?.examples?.['success']?.value;
  return (
    <div className={`panel ${classes['operation']}`}>
      <div className={classes['path']}>
        <span className={classes['method']} data-method={method}>
          {method}
        </span>
        <code>{path}</code>
      </div>
      <p>
        <b>{summary}.</b> <Inline text={description} /> <a href={`/docs/api#${operationId}`}>Reference</a>
      </p>
      {sample === undefined ? null : (
        <details className={classes['sample']}>
          <summary>Sample response</summary>
          <Code title={`200 · ${summary}`} code={JSON.stringify(sample, null, 2)} />
        </details>
      )}
    </div>
  );
}
