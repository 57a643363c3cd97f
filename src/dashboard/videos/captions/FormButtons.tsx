import { words } from '#words/captions.js';
import { Button, Group } from '@mantine/core';

interface Props {
  /** What it does, on its button. */
  readonly verb: string;
  readonly busy: boolean;
  readonly onCancel: () => void;
}

/** The end of a form that stands in its panel. */
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
