import { words } from '#words/video.js';
import { Table, Title } from '@mantine/core';
import { showBitrate, showBytes, showDuration } from '../lib/format.js';
import { HowMade } from './HowMade.js';
import classes from './VideoPage.module.css';
import type { VideoDetails } from './videoDetails.js';
import { showQuality } from './words.js';

/** A picture by its size, sound by its name: 'Audio: Deutsch (de)'. */
function nameOf({ quality, label, language }: VideoDetails['renditions'][number]): string {
  if (label === null) return showQuality(quality);
  const tag = language === null || language === 'und' ? '' : ` (${language})`;
  return `${showQuality(quality)}: ${label}${tag}`;
}

/** Why subtitles of the file are not in the video. */
function noteOf({ pictureSubtitles: tracks }: VideoDetails): string | undefined {
  if (tracks === 0) return undefined;
  return words.renditions.textNotImportedUpload(tracks);
}

/** HDR is the only property that is converted, so it is mentioned. */
function pictureOf({ width, height, isHdr }: VideoDetails): string | undefined {
  return width && height ? `${width} × ${height}${isHdr ? words.renditions.hdrProcessedAsSdr : ''}` : undefined;
}

/** Facts about the source, and its renditions. */
export function Renditions({ video }: { video: VideoDetails }) {
  const facts: [string, string | undefined][] = [
    [words.renditions.length, video.durationSeconds === null ? undefined : showDuration(video.durationSeconds)],
    [words.renditions.picture, pictureOf(video)],
    [words.renditions.file, video.sizeBytes === null ? undefined : showBytes(video.sizeBytes)],
    [words.renditions.subtitles, noteOf(video)],
  ];
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="media-title">
      <Title order={2} id="media-title">
        {words.renditions.media}
      </Title>
      <dl className={`${classes['facts']} num`}>
        {facts.map(([name, value]) =>
          value ? (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
      {video.renditions.length > 0 ? (
        <Table className="num" fz="sm" horizontalSpacing={0} aria-label={words.renditions.renditions}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{words.renditions.quality}</Table.Th>
              <Table.Th ta="end">{words.renditions.peak}</Table.Th>
              <Table.Th ta="end">{words.renditions.size}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {video.renditions.map((rendition) => (
              <Table.Tr key={`${rendition.quality} ${rendition.track}`} title={rendition.codecs}>
                <Table.Td>{nameOf(rendition)}</Table.Td>
                <Table.Td ta="end">{showBitrate(rendition.bitrate)}</Table.Td>
                <Table.Td ta="end">{showBytes(rendition.sizeBytes)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ) : null}
      {video.renditions.length > 0 ? <HowMade videoId={video.id} /> : null}
    </section>
  );
}
