import { Checkbox } from '@mantine/core';

interface Props {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

/** Costs nothing, so it stands beside the add-ons and not among them. */
export function LoudnessChoice({ checked, onChange }: Props) {
  return (
    <Checkbox
      checked={checked}
      label="Normalize loudness"
      description="matches typical web loudness (−16 LUFS), free"
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
