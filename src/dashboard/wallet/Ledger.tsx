import { useQuery } from '@apollo/client/react';
import { Anchor, Button, Group, Skeleton, Stack, Title } from '@mantine/core';
import { Link } from 'react-router';
import { LedgerEntriesDocument, type LedgerEntriesQuery } from '../generated/graphql.js';
import { microsOf, showCredits } from '../lib/credits.js';
import { showMoment } from '../lib/format.js';
import { EmptyState, ErrorState } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import classes from './WalletRoom.module.css';
import { ACCOUNT, ENTRY } from './words.js';

const PAGE = 30;
type Entry = LedgerEntriesQuery['wallet']['entries']['edges'][number]['node'];

/** Every change of every bucket, newest first. */
export function Ledger() {
  const { data, error, fetchMore, refetch } = useQuery(LedgerEntriesDocument, {
    variables: { first: PAGE },
    fetchPolicy: 'cache-and-network',
  });
  const entries = data?.wallet.entries;
  const more = useAction(() => fetchMore({ variables: { after: entries?.pageInfo.endCursor } }));

  return (
    <section className={`panel ${classes['ledger']}`} aria-labelledby="ledger-title">
      <Title order={2} id="ledger-title">
        Statement
      </Title>
      {error && !entries ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!entries && !error ? <Loading /> : null}
      {entries?.edges.length === 0 ? (
        <EmptyState
          icon="wallet"
          title="Nothing yet"
          advice="Every change of your credits is listed here, down to the last one."
        />
      ) : null}
      <ul className={`${classes['entries']} num`}>
        {entries?.edges.map(({ node }) => (
          <LedgerRow key={node.id} entry={node} />
        ))}
      </ul>
      {entries?.pageInfo.hasNextPage ? (
        <Group justify="center" py="md">
          <Button variant="default" loading={more.busy} onClick={() => void more.run()}>
            Load more
          </Button>
        </Group>
      ) : null}
    </section>
  );
}

function LedgerRow({ entry }: { entry: Entry }) {
  const up = microsOf(entry.amount) > 0n;
  return (
    <li className={classes['entry']}>
      <span className={classes['what']}>
        <span>{ENTRY[entry.type]}</span>
        <small className="clip">
          {showMoment(entry.createdAt)}
          <Reference text={entry.reference} />
        </small>
      </span>
      <span className={classes['account']}>{ACCOUNT[entry.account]}</span>
      <span className={classes['change']} data-up={up || undefined}>
        {up ? '+' : ''}
        {showCredits(entry.amount)}
      </span>
      <span className={classes['after']}>
        <span className="visually-hidden">leaves </span>
        {showCredits(entry.balanceAfter)}
      </span>
    </li>
  );
}

const VIDEO_ID = /^(?:vid_[1-9A-HJ-NP-Za-km-z]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/;

/** What caused it; a video's id leads to the video. */
function Reference({ text }: { text: string | null }) {
  if (!text) return null;
  const videoId = VIDEO_ID.exec(text)?.[0];
  return videoId ? (
    <>
      {' · '}
      <Anchor component={Link} to={`/videos/${videoId}`} inherit>
        video
      </Anchor>
    </>
  ) : (
    ` · ${text}`
  );
}

function Loading() {
  return (
    <Stack gap="sm" p="md" aria-busy="true" aria-label="Loading the statement">
      {['a', 'b', 'c', 'd'].map((key) => (
        <Skeleton key={key} height={36} />
      ))}
    </Stack>
  );
}
