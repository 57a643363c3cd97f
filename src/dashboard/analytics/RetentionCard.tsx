import { words } from '#words/analytics.js';
import { useQuery } from '@apollo/client/react';
import { Title } from '@mantine/core';
import { VideoLengthDocument } from '../generated/graphql.js';
import classes from './Analytics.module.css';
import { RetentionChart } from './RetentionChart.js';

interface Props {
  readonly videoId: string;
  /** How many plays watched each hundredth. */
  readonly counts: readonly number[];
  readonly plays: number;
}

/** How far into the video its viewers stay. */
export function RetentionCard({ videoId, counts, plays }: Props) {
  const { data } = useQuery(VideoLengthDocument, { variables: { id: videoId } });
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="retention">
      <div>
        <Title order={2} id="retention" size="h3">
          {words.retention.title}
        </Title>
        <p className={classes['note']}>{plays > 0 ? words.retention.note : words.retention.none}</p>
      </div>
      {plays > 0 ? (
        <RetentionChart counts={counts} plays={plays} durationSeconds={data?.video?.durationSeconds ?? null} />
      ) : null}
    </section>
  );
}
