import { words } from '#words/auth.js';
import { TextInput } from '@mantine/core';

interface Props {
  readonly value: string;
  readonly onChange: (email: string) => void;
}

export function EmailInput({ value, onChange }: Props) {
  return (
    <TextInput
      label={words.emailAddress}
      type="email"
      autoComplete="username"
      required
      withAsterisk={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
