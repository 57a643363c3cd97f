import { Skeleton } from '@mantine/core';
import { ErrorState } from '../../parts/States.js';
import { errorCodesOf, useOpenApi } from '../openApi.js';
import { Inline, Section, Table } from '../parts/Text.js';

/** Read from the OpenAPI document, so that there is no second list that could become outdated. */
export function Errors() {
  const { document, error, reload } = useOpenApi();
  return (
    <Section id="errors" title="Error codes">
      <p>
        What <code>error.code</code> of /v1 can be. Retry 500 and 503 with growing pauses; anything else stays as it is
        until something changes. Quote <code>X-Request-Id</code> when you ask for help.
      </p>
      {document ? (
        <Table
          label="Error codes"
          head={['Code', 'Status', 'Meaning']}
          rows={errorCodesOf(document).map(({ code, status, meaning }) => [
            <code key="code">{code}</code>,
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
