import { words } from '#words/videoStates.js';
import { Group, Progress, Text } from '@mantine/core';
import type { VideoRowFragment } from '../generated/graphql.js';
import { showTimeLeft } from '../lib/format.js';
import { isInProgress } from '../lib/videoStates.js';

/** Live progress: percentage, current step, time left. */
export function ProcessingProgress({ video, detailed = false }: { video: VideoRowFragment; detailed?: boolean }) {
  const { processing, status } = video;
  if (!processing || !isInProgress(video)) return null;

  const percent = status === 'QUEUED' ? 0 : Math.floor(processing.percent);
  return (
    <div className="wide">
      <Progress.Root size={detailed ? 'md' : 'sm'}>
        <Progress.Section
          value={percent}
          animated={status === 'PROCESSING'}
          aria-label={words.processingProgress.processing(video.title)}
          aria-valuetext={words.processingProgress.percent(percent)}
        />
      </Progress.Root>
      <Group justify="space-between" gap="xs" mt={4} wrap="nowrap">
        <Text size="xs" c="dimmed" className="num clip">
          {status === 'QUEUED' ? words.processingProgress.queued : `${percent}% · ${showStep(processing.step)}`}
          {detailed && processing.speed ? words.processingProgress.playingSpeed(processing.speed.toFixed(1)) : ''}
        </Text>
        {detailed && processing.etaSeconds !== null && status === 'PROCESSING' ? (
          <Text size="xs" c="dimmed" className="num">
            {showTimeLeft(processing.etaSeconds)}
          </Text>
        ) : null}
      </Group>
    </div>
  );
}

const STEPS: Readonly<Record<string, string>> = words.processingProgress.steps;

/** What the worker does, in the words of the dashboard. A newer worker may name a step that it does not know. */
function showStep(step: string | null): string {
  return STEPS[step ?? 'starting'] ?? words.processingProgress.anotherStep;
}
