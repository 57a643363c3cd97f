import { words } from '#words/wallet.js';
import { useQuery } from '@apollo/client/react';
import { Button, Skeleton, Title } from '@mantine/core';
import { useState } from 'react';
import { StatementsDocument, type StatementsQuery } from '../../generated/graphql.js';
import { showCredits } from '../../lib/credits.js';
import { DownloadButton } from '../../parts/DownloadButton.js';
import { Icon } from '../../parts/Icon.js';
import { nameMonth } from '../../lib/utcDays.js';
import { EmptyState, ErrorState } from '../../parts/States.js';
import classes from './Documents.module.css';

const SHOWN = 12;
type Month = StatementsQuery['statements'][number];

/** A statement per month, to keep or to give to an accountant. */
export function StatementList() {
  const { data, error, refetch } = useQuery(StatementsDocument);
  const [all, setAll] = useState(false);
  const months = data?.statements;
  return (
    <section className={`panel ${classes['list']}`} aria-labelledby="statements-title">
      <div className={classes['head']}>
        <Title order={2} id="statements-title">
          {words.statementList.monthlyStatements}
        </Title>
        <p>{words.statementList.everyEntryMonthUtc}</p>
      </div>
      {error && !months ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!months && !error ? (
        <Skeleton height={180} role="status" aria-busy="true" aria-label={words.statementList.loadingStatements} />
      ) : null}
      {months?.length === 0 ? (
        <EmptyState
          icon="docs"
          title={words.statementList.noStatementsYet}
          advice={words.statementList.firstStatementAppearsAs}
        />
      ) : null}
      <ul>
        {months?.slice(0, all ? undefined : SHOWN).map((month) => (
          <Statement key={month.month} month={month} />
        ))}
      </ul>
      {months && months.length > SHOWN && !all ? (
        <div className={classes['more']}>
          <Button variant="default" onClick={() => setAll(true)}>
            {words.statementList.older(months.length - SHOWN)}
          </Button>
        </div>
      ) : null}
    </section>
  );
}

function Statement({ month: { month, isToDate, opening, closing, csvUrl, pdfUrl } }: { month: Month }) {
  const name = nameMonth(month);
  return (
    <li>
      <span className={classes['month']}>
        <b>{name}</b>
        <small className="num">
          {words.statementList.credits(showCredits(opening), showCredits(closing), isToDate)}
        </small>
      </span>
      <span className={classes['formats']}>
        <Paper href={csvUrl} kind="CSV" name={name} />
        <Paper href={pdfUrl} kind="PDF" name={name} />
      </span>
    </li>
  );
}

function Paper({ href, kind, name }: { href: string; kind: string; name: string }) {
  return (
    <DownloadButton
      href={href}
      size="xs"
      variant="default"
      leftSection={<Icon name="download" size={15} />}
      aria-label={words.statementList.as(name, kind)}
    >
      {kind}
    </DownloadButton>
  );
}
