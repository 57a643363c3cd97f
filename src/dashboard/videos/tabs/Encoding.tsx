import { words } from '#words/video.js';
import { useQuery } from '@apollo/client/react';
import { Anchor, Skeleton, Table, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { isTestMode } from '../../session/mode.js';
import { VideoEncodingDocument } from '../../generated/graphql.js';
import { showCredits } from '../../lib/credits.js';
import { showBitrate, showBytes } from '../../lib/format.js';
import { ErrorState } from '../../parts/States.js';
import page from '../VideoPage.module.css';
import type { VideoDetails, VideoRendition } from '../videoDetails.js';
import { isInProgress, showQuality } from '../../lib/videoStates.js';
import classes from './Encoding.module.css';
import { Receipts } from './Receipts.js';

/** How the video was made: its renditions, their receipts, and what they cost. */
export default function Encoding({ video }: { video: VideoDetails }) {
  const { data, error, refetch } = useQuery(VideoEncodingDocument, { variables: { id: video.id } });
  if (!data) {
    return error ? (
      <ErrorState error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton height={240} radius="lg" role="status" aria-busy="true" aria-label={words.encoding.loading} />
    );
  }
  // Empty: the video was deleted meanwhile, and the page says so.
  if (!data.video) return null;
  const { renditions, cost } = data.video;
  return (
    <div className={classes['stack']}>
      <section className={`panel ${page['card']}`} aria-labelledby="renditions-title">
        <Title order={2} id="renditions-title">
          {words.encoding.renditions}
        </Title>
        {renditions.length === 0 ? (
          <Text size="sm" c="dimmed">
            {words.encoding.none}
          </Text>
        ) : (
          <Renditions renditions={renditions} />
        )}
      </section>
      {isTestMode ? null : <Cost video={video} cost={cost} />}
      {renditions.length > 0 ? <Receipts videoId={video.id} renditions={renditions} /> : null}
    </div>
  );
}

/** What was charged, and where the ledger has it. */
function Cost({ video, cost }: { video: VideoDetails; cost: string }) {
  return (
    <section className={`panel ${page['card']}`} aria-labelledby="cost-title">
      <Title order={2} id="cost-title">
        {words.encoding.cost}
      </Title>
      <Text size="sm">
        {words.encoding.charged(showCredits(cost))}
        {isInProgress(video) && video.processing
          ? ` ${words.encoding.setAside(showCredits(video.processing.price))}`
          : ''}{' '}
        <Anchor component={Link} to={`/wallet/ledger?video=${video.id}`} inherit>
          {words.encoding.ledgerEntries}
        </Anchor>
      </Text>
    </section>
  );
}

/** A picture by its size, sound by its name: 'Audio: Deutsch (de)'. */
function nameOf({ quality, label, language }: VideoRendition): string {
  if (label === null) return showQuality(quality);
  const tag = language === null || language === 'und' ? '' : ` (${language})`;
  return `${showQuality(quality)}: ${label}${tag}`;
}

function Renditions({ renditions }: { renditions: readonly VideoRendition[] }) {
  return (
    <Table className="num" fz="sm" aria-labelledby="renditions-title">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{words.encoding.quality}</Table.Th>
          <Table.Th className={classes['wide'] ?? ''}>{words.encoding.picture}</Table.Th>
          <Table.Th className={classes['wide'] ?? ''}>{words.encoding.codecs}</Table.Th>
          <Table.Th ta="end">{words.encoding.peak}</Table.Th>
          <Table.Th ta="end">{words.encoding.size}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {renditions.map((rendition) => (
          <Table.Tr key={`${rendition.quality} ${rendition.track}`}>
            <Table.Td>{nameOf(rendition)}</Table.Td>
            <Table.Td className={classes['wide'] ?? ''}>
              {rendition.width && rendition.height ? `${rendition.width} × ${rendition.height}` : '–'}
            </Table.Td>
            <Table.Td className={classes['wide'] ?? ''}>{rendition.codecs}</Table.Td>
            <Table.Td ta="end">{showBitrate(rendition.bitrate)}</Table.Td>
            <Table.Td ta="end">{showBytes(rendition.sizeBytes)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
