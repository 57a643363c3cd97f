import { words } from '#words/video.js';
import { Button, Group, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { showBytes, showNumber } from '../../lib/format.js';
import { announce } from '../../parts/Announcer.js';
import { Icon } from '../../parts/Icon.js';
import page from '../VideoPage.module.css';
import type { VideoRendition } from '../videoDetails.js';
import { showQuality } from '../../lib/videoStates.js';
import classes from './Receipts.module.css';

interface Props {
  readonly videoId: string;
  readonly renditions: readonly VideoRendition[];
}

/** The receipt of each rendition: settings, SSIM, digest. */
export function Receipts({ videoId, renditions: all }: Props) {
  const [copied, setCopied] = useState(false);
  const renditions = all.filter(({ receipt }) => receipt);
  const json = JSON.stringify({ video: videoId, renditions: renditions.map(plain) }, null, 2);

  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(json);
    setCopied(true);
    announce(words.receipts.receiptCopied);
  }

  return (
    <section className={`panel ${page['card']}`} aria-labelledby="receipts-title">
      <Title order={2} id="receipts-title">
        {words.receipts.receipts}
      </Title>
      {renditions.length === 0 ? (
        <Text size="sm" c="dimmed">
          {words.receipts.processedBeforeReceiptsWere}
        </Text>
      ) : (
        <>
          <div className={classes['receipts']}>
            {renditions.map((rendition) => (
              <Receipt key={`${rendition.quality} ${rendition.track}`} rendition={rendition} />
            ))}
          </div>
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name={copied ? 'check' : 'copy'} size={15} />}
              onClick={() => void copy()}
            >
              {copied ? words.receipts.copied : words.receipts.copyAsJson}
            </Button>
            <Button
              component="a"
              size="xs"
              variant="default"
              leftSection={<Icon name="download" size={15} />}
              href={`data:application/json;charset=utf-8,${encodeURIComponent(json)}`}
              download={`${videoId}-receipt.json`}
            >
              {words.receipts.download}
            </Button>
          </Group>
        </>
      )}
    </section>
  );
}

/** What the service records as the settings of a passthrough. */
const COPIED = 'copied';

function Receipt({ rendition: { quality, receipt } }: { rendition: VideoRendition }) {
  if (!receipt) return null;
  const facts: [string, string | null][] = [
    [words.receipts.settings, receipt.profile === COPIED ? words.receipts.passthroughSource : receipt.profile],
    ['ffmpeg', receipt.ffmpegVersion],
    [words.receipts.stored, words.receipts.bits(showNumber(receipt.bits), showBytes(receipt.bits / 8))],
    [words.receipts.billed, `${receipt.secondsBilled} s`],
    [words.receipts.similarity, similarityOf(receipt)],
    ['SHA-256', receipt.sha256],
  ];
  return (
    <div>
      <Text component="h3" size="sm" fw={600} m={0}>
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

function similarityOf({ ssim, ssimFrames }: NonNullable<VideoRendition['receipt']>): string | null {
  if (ssim === null) return null;
  return ssimFrames === 0
    ? words.receipts.passthroughSource
    : words.receipts.ssimOverFrames(ssim.toFixed(4), ssimFrames);
}

/** Without the fields that the client adds for its cache. */
function plain({ quality, receipt }: VideoRendition): object {
  const { __typename: _, ...facts } = { __typename: '', ...receipt };
  return { quality, ...facts };
}
