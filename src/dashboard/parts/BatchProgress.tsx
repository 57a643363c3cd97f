import { words } from '#words/parts.js';
import { Button, Progress, Stack, Text } from '@mantine/core';
import type { BatchRun } from './useBatch.js';

interface Props {
  readonly run: BatchRun;
  readonly text: (done: number, total: number) => string;
}

/** How far an action on many videos is. Empty while nothing runs. */
export function BatchProgress({ run: { progress }, text }: Props) {
  if (!progress) return null;
  const { done, total } = progress;
  return (
    <Stack gap={6}>
      <Text size="sm" role="status" className="num">
        {text(done, total)}
      </Text>
      <Progress value={(done / total) * 100} size="sm" aria-label={text(done, total)} />
    </Stack>
  );
}

/** The button of its dialog that does not start it: it cancels before, and stops or closes while it runs. */
export function BatchCancel({ run, onClose }: { run: BatchRun; onClose: () => void }) {
  const { progress, stop, isStopping } = run;
  return (
    // Not `disabled`, which would take the focus away.
    <Button variant="default" data-disabled={isStopping || undefined} onClick={stop ?? onClose}>
      {stop ? words.batchCancel.stop : progress ? words.batchCancel.close : words.batchCancel.cancel}
    </Button>
  );
}
