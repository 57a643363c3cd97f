import { words } from '#words/video.js';
import { Anchor, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { CopyField } from '../parts/CopyField.js';
import type { VideoDetails } from './videoDetails.js';

type Way = 'tag' | 'frame';

/** The code that embeds the player in a page: as an element, or in a frame. */
export function Embed({ video }: { video: VideoDetails }) {
  const [way, setWay] = useState<Way>('tag');
  return (
    <Stack gap={6}>
      <Text size="sm" fw={600}>
        {words.embed.embed}
      </Text>
      <SegmentedControl
        size="xs"
        aria-label={words.embed.embed2}
        value={way}
        onChange={(value) => setWay(value)}
        data={[
          { value: 'tag', label: words.embed.playerElement },
          { value: 'frame', label: words.embed.frame },
        ]}
      />
      <CopyField label={words.embed.embedCode} block value={way === 'tag' ? tagCode(video) : frameCode(video)} />
      <Text size="xs" c="dimmed">
        {words.embed.replaceTokenFreshToken((text) => (
          <Anchor component={Link} to="/docs" inherit>
            {text}
          </Anchor>
        ))}
      </Text>
    </Stack>
  );
}

function tagCode({ title }: VideoDetails): string {
  return [
    `<script type="module" src="${location.origin}/player/dhara-player.mjs"></script>`,
    `<dhara-player token="TOKEN" title="${escaped(title)}"></dhara-player>`,
  ].join('\n');
}

function frameCode({ title }: VideoDetails): string {
  return [
    `<iframe src="${location.origin}/embed#token=TOKEN"`,
    `  title="${escaped(title)}" allow="autoplay; fullscreen; picture-in-picture"`,
    '  style="width: 100%; aspect-ratio: 16 / 9; border: 0"></iframe>',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
