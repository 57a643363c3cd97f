import { useQuery } from '@apollo/client/react';
import { Badge, Skeleton, Title } from '@mantine/core';
import { StaffLedgerHealthDocument, type StaffLedgerHealthQuery } from '../generated/graphql.js';
import { showMoment, showNumber } from '../lib/format.js';
import { CopyField } from '../parts/CopyField.js';
import { ErrorState } from '../parts/States.js';
import { Facts } from './parts/Bits.js';
import classes from './parts/console.module.css';

/** Whether the books hold, as of the last verification, and their seal. */
export function BooksCard() {
  const { data, error, refetch } = useQuery(StaffLedgerHealthDocument);
  const health = data?.ledgerHealth;
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="books-title">
      <div className={classes['cardHead']}>
        <Title order={2} id="books-title">
          The books
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
        Not proved yet
      </Badge>
    );
  }
  return health.faults === 0 ? (
    <Badge color="teal" tt="none">
      They hold
    </Badge>
  ) : (
    <Badge color="red" tt="none">
      {health.faults === 100 ? '100 or more' : health.faults} wrong {health.faults === 1 ? 'row' : 'rows'}
    </Badge>
  );
}

function Proof({ health: { lastVerifiedAt, firstFault, lastSeal } }: { health: Health }) {
  return (
    <>
      <Facts
        of={[
          ['Last proof', lastVerifiedAt ? showMoment(lastVerifiedAt) : 'None so far; every night from 00:30 UTC'],
          ['First wrong row', firstFault],
          ['Last seal', lastSeal ? `Block ${lastSeal.blockNo}, ${showMoment(lastSeal.sealedAt)}` : 'None so far'],
          [
            'It seals',
            lastSeal ? `${showNumber(lastSeal.entries)} entries of ${showNumber(lastSeal.owners)} owners` : null,
          ],
        ]}
      />
      {lastSeal ? <CopyField label="Digest of the seal" value={lastSeal.digest} /> : null}
    </>
  );
}
