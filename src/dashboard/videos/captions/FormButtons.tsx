import { words } from '#words/captions.js';
import { Button, Group } from '@mantine/core';

interface Props {
  /** The verb on the button. */
  readonly verb: string;
  readonly busy: boolean;
  readonly onCancel: () => void;
}

/** The buttons of an inline form. */
export function FormButtons({ verb, busy, onCancel }: Props) {
  return (
    <Group gap="xs">
      <Button type="submit" size="xs" loading={busy}>
        {verb}
      </Button>
      <Button size="xs" variant="default" disabled={busy} onClick={onCancel}>
        {words.formButtons.cancel}
      </Button>
    </Group>
  );
}
