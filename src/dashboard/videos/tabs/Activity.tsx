import { words } from '#words/video.js';
import { useQuery } from '@apollo/client/react';
import { Button, Skeleton, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { VideoActivityDocument } from '../../generated/graphql.js';
import { showMoment } from '../../lib/format.js';
import { nameDay } from '../../lib/utcDays.js';
import { FormError } from '../../parts/States.js';
import page from '../VideoPage.module.css';
import classes from './Activity.module.css';

const FEW = 8;
/** The service's maximum; the event log and the analytics have everything. */
const MOST = 100;

/** What happened to the video, and by whom. */
export default function Activity({ videoId }: { videoId: string }) {
  const [first, setFirst] = useState(FEW);
  const { data, previousData, error, loading } = useQuery(VideoActivityDocument, {
    variables: { id: videoId, first },
    // Other tabs change it, too.
    fetchPolicy: 'cache-and-network',
  });
  const { edges, pageInfo } = (data ?? previousData)?.video?.activity ?? {};
  return (
    <section className={`panel ${page['card']}`} aria-labelledby="activity-title">
      <Title order={2} id="activity-title">
        {words.activity.activity}
      </Title>
      {error ? <FormError error={error} /> : null}
      {!edges && !error ? (
        <Skeleton height={90} role="status" aria-busy="true" aria-label={words.activity.loading} />
      ) : null}
      {edges?.length === 0 ? (
        <Text size="sm" c="dimmed">
          {words.activity.none}
        </Text>
      ) : null}
      {edges && edges.length > 0 ? (
        <ol className={classes['activity']} aria-labelledby="activity-title">
          {edges.map(({ cursor, node: { kind, actor, actorName, at, views } }) => (
            <li key={`${cursor} ${kind}`}>
              <span>
                {views === null ? words.activity.kind[kind] : words.activity.views(views)}
                <small>{words.activity.by(actor, actorName ?? null)}</small>
              </span>
              <time dateTime={at}>{views === null ? showMoment(at) : nameDay(at.slice(0, 10))}</time>
            </li>
          ))}
        </ol>
      ) : null}
      {pageInfo?.hasNextPage && first < MOST ? (
        <div>
          <Button size="compact-sm" variant="subtle" loading={loading} onClick={() => setFirst(MOST)}>
            {words.activity.showMore}
          </Button>
        </div>
      ) : null}
    </section>
  );
}
