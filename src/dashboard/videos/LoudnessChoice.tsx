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
      label="Even loudness"
      description="brings the sound to −16 LUFS, as loud as other videos on the web; free"
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
