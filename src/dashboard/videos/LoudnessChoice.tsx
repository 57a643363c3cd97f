import { words } from '#words/videos.js';
import { Checkbox } from '@mantine/core';

interface Props {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** Free, so it is shown beside the add-ons and not among them. */
export function LoudnessChoice({ checked, onChange }: Props) {
  return (
    <Checkbox
      checked={checked}
      label={words.loudnessChoice.normalizeLoudness}
      description={words.loudnessChoice.matchesTypicalWebLoudness}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
