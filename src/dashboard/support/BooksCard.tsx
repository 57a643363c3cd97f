import { words } from '#words/support.js';
import { useQuery } from '@apollo/client/react';
import { Badge, Skeleton, Title } from '@mantine/core';
import { StaffLedgerHealthDocument, type StaffLedgerHealthQuery } from '../generated/graphql.js';
import { showMoment } from '../lib/format.js';
import { ErrorState } from '../parts/States.js';
import { Facts, Labelled } from './parts/Bits.js';
import classes from './parts/console.module.css';

/** Whether the books hold, as of the last verification, and their seal. */
export function BooksCard() {
  const { data, error, refetch } = useQuery(StaffLedgerHealthDocument);
  const health = data?.ledgerHealth;
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="books-title">
      <div className={classes['cardHead']}>
        <Title order={2} id="books-title">
          {words.booksCard.ledger}
        </Title>
        {health ? <Verdict health={health} /> : null}
      </div>
      {health ? <Proof health={health} /> : null}
      {!health && error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!health && !error ? <Skeleton height={120} role="status" aria-busy="true" /> : null}
    </section>
  );
}

type Health = StaffLedgerHealthQuery['ledgerHealth'];

function Verdict({ health }: { health: Health }) {
  if (health.lastVerifiedAt === null) {
    return (
      <Badge color="gray" tt="none">
        {words.booksCard.notVerifiedYet}
      </Badge>
    );
  }
  return health.faults === 0 ? (
    <Badge color="teal" tt="none">
      {words.booksCard.verified}
    </Badge>
  ) : (
    <Badge color="red" tt="none">
      {words.booksCard.wrong(health.faults)}
    </Badge>
  );
}

function Proof({ health: { lastVerifiedAt, firstFault, lastSeal } }: { health: Health }) {
  return (
    <>
      <Facts
        of={[
          [
            words.booksCard.lastVerification,
            lastVerifiedAt ? showMoment(lastVerifiedAt) : words.booksCard.noneYetRunsEvery,
          ],
          [words.booksCard.firstWrongRow, firstFault],
          [
            words.booksCard.lastSeal,
            lastSeal ? words.booksCard.block(lastSeal.blockNo, showMoment(lastSeal.sealedAt)) : words.booksCard.noneYet,
          ],
          [words.booksCard.covers, lastSeal ? words.booksCard.entriesOwners(lastSeal.entries, lastSeal.owners) : null],
        ]}
      />
      {lastSeal ? <Labelled label={words.booksCard.digestSeal} value={lastSeal.digest} /> : null}
    </>
  );
}
