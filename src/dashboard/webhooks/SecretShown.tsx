import { words as all } from '#words/webhooks.js';
import { Alert, Button, Group, Stack } from '@mantine/core';
import { CopyField } from '../parts/CopyField.js';

const words = all.secret;

/** A signing secret, this once. */
export function SecretShown({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" title={words.heading}>
        {words.note}
      </Alert>
      <CopyField label={words.label} value={secret} />
      <Group justify="flex-end">
        <Button onClick={onDone}>{words.copied}</Button>
      </Group>
    </Stack>
  );
}
