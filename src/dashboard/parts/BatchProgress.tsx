import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import type { BatchRun } from './useBatch.js';

interface Props {
  readonly run: BatchRun;
  readonly text: (done: number, total: number) => string;
  readonly stop: string;
}

/** How far an action on many videos is, and a button that ends it between two batches. Empty while nothing runs. */
export function BatchProgress({ run: { progress, stop }, text, stop: label }: Props) {
  if (!progress) return null;
  const { done, total } = progress;
  return (
    <Stack gap={6}>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" role="status" className="num">
          {text(done, total)}
        </Text>
        <Button size="compact-sm" variant="default" onClick={stop}>
          {label}
        </Button>
      </Group>
      <Progress value={(done / total) * 100} size="sm" aria-label={text(done, total)} />
    </Stack>
  );
}
