import { words } from '#words/video.js';
import { useLazyQuery } from '@apollo/client/react';
import { Button, Group, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { VideoReceiptsDocument, type VideoReceiptsQuery } from '../generated/graphql.js';
import { showBytes, showNumber } from '../lib/format.js';
import { announce } from '../parts/Announcer.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import classes from './HowMade.module.css';
import { showQuality } from './words.js';

type Rendition = NonNullable<VideoReceiptsQuery['video']>['renditions'][number];

/** The receipt of each rendition: settings, SSIM, digest. Loaded when it is opened. */
export function HowMade({ videoId }: { videoId: string }) {
  const [load, { data, error, loading }] = useLazyQuery(VideoReceiptsDocument);
  const [copied, setCopied] = useState(false);
  const renditions = data?.video?.renditions.filter(({ receipt }) => receipt);
  const json = JSON.stringify({ video: videoId, renditions: renditions?.map(plain) }, null, 2);

  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(json);
    setCopied(true);
    announce(words.howMade.receiptCopied);
  }

  return (
    <details
      className={classes['made']}
      onToggle={(event) => (event.currentTarget.open ? void load({ variables: { id: videoId } }) : undefined)}
    >
      <summary>{words.howMade.encodingDetails}</summary>
      {error ? <FormError error={error} /> : null}
      {loading ? (
        <Skeleton height={90} role="status" aria-busy="true" aria-label={words.howMade.loadingEncodingDetails} />
      ) : null}
      {renditions?.length === 0 ? (
        <Text size="sm" c="dimmed">
          {words.howMade.processedBeforeReceiptsWere}
        </Text>
      ) : null}
      {renditions && renditions.length > 0 ? (
        <>
          {renditions.map((rendition) => (
            <Receipt key={rendition.quality + (rendition.receipt?.sha256 ?? '')} rendition={rendition} />
          ))}
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name={copied ? 'check' : 'copy'} size={15} />}
              onClick={() => void copy()}
            >
              {copied ? words.howMade.copied : words.howMade.copyAsJson}
            </Button>
            <Button
              component="a"
              size="xs"
              variant="default"
              leftSection={<Icon name="download" size={15} />}
              href={`data:application/json;charset=utf-8,${encodeURIComponent(json)}`}
              download={`${videoId}-receipt.json`}
            >
              {words.howMade.download}
            </Button>
          </Group>
        </>
      ) : null}
    </details>
  );
}

function Receipt({ rendition: { quality, receipt } }: { rendition: Rendition }) {
  if (!receipt) return null;
  const facts: [string, string | null][] = [
    [words.howMade.settings, receipt.profile],
    ['ffmpeg', receipt.ffmpegVersion],
    [words.howMade.stored, words.howMade.bits(showNumber(receipt.bits), showBytes(receipt.bits / 8))],
    [words.howMade.billed, `${receipt.secondsBilled} s`],
    [words.howMade.similarity, similarityOf(receipt)],
    ['SHA-256', receipt.sha256],
  ];
  return (
    <div>
      <Text size="sm" fw={600}>
        {showQuality(quality)}
      </Text>
      <dl className={`${classes['facts']} num`}>
        {facts.map(([name, value]) =>
          value ? (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
    </div>
  );
}

function similarityOf({ ssim, ssimFrames }: NonNullable<Rendition['receipt']>): string | null {
  if (ssim === null) return null;
  return ssimFrames === 0 ? words.howMade.passthroughSource : words.howMade.ssimOverFrames(ssim.toFixed(4), ssimFrames);
}

/** Without the fields that the client adds for its cache. */
function plain({ quality, receipt }: Rendition): object {
  const { __typename: _, ...facts } = { __typename: '', ...receipt };
  return { quality, ...facts };
}
