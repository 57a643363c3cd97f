import { words } from '#words/auth.js';
import { PasswordInput } from '@mantine/core';

/** Limits of the service, in characters. */
const SHORTEST = 10;
const LONGEST = 128;

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (password: string) => void;
}

export function NewPasswordInput({ label, value, onChange }: Props) {
  return (
    <PasswordInput
      label={label}
      description={words.newPasswordNote(SHORTEST)}
      name="new-password"
      autoComplete="new-password"
      minLength={SHORTEST}
      maxLength={LONGEST}
      required
      withAsterisk={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
