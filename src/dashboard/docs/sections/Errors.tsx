import { Skeleton } from '@mantine/core';
import { Fragment } from 'react';
import { ErrorState } from '../../parts/States.js';
import { errorCodesOf, useOpenApi } from '../openApi.js';
import { Inline, Section, Table } from '../parts/Text.js';

/** Read from the OpenAPI document, so that there is no second list that could become outdated. */
export function Errors() {
  const { document, error, reload } = useOpenApi();
  return (
    <Section id="errors" title="Error codes">
      <p>
        The values of <code>error.code</code> in /v1. Retry 500 and 503 with backoff; do not retry other errors without
        changing something. Include <code>X-Request-Id</code> when you ask for help.
      </p>
      {document ? (
        <Table
          label="Error codes"
          head={['Code', 'Status', 'Meaning']}
          rows={errorCodesOf(document).map(({ code, status, meaning }) => [
            <Code key="code" code={code} />,
            status,
            <Inline key="meaning" text={meaning} />,
          ])}
        />
      ) : null}
      {!document && error ? <ErrorState error={error} onRetry={reload} /> : null}
      {!document && !error ? <Skeleton height={420} role="status" aria-busy="true" /> : null}
    </Section>
  );
}

/** May break after each word, so that a phone has space for the meaning. */
function Code({ code }: { code: string }) {
  return (
    <code>
      {code.split('_').map((word, nth) => (
        <Fragment key={`${nth} ${word}`}>
          {nth > 0 ? (
            <>
              _<wbr />
            </>
          ) : null}
          {word}
        </Fragment>
      ))}
    </code>
  );
}
