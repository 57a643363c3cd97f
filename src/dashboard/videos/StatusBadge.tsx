import { words } from '#words/videoStates.js';
import { Badge } from '@mantine/core';
import type { VideoRowFragment } from '../generated/graphql.js';
import { needsCredits, STATUS } from '../lib/videoStates.js';

export function StatusBadge({ video }: { video: VideoRowFragment }) {
  const { label, color } = STATUS[video.status];
  if (needsCredits(video)) {
    return (
      <Badge color="yellow" tt="none" fw={600}>
        {words.needsCredits}
      </Badge>
    );
  }
  const measuring = video.status === 'UPLOADED' && !video.measured;
  return (
    <Badge color={color} tt="none" fw={600}>
      {measuring ? words.analyzing : label}
    </Badge>
  );
}
