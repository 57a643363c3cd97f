import { PasswordInput } from '@mantine/core';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (password: string) => void;
}

/** The password that a signed-in user has, as a proof that it is they who change something. */
export function CurrentPasswordInput({ label, value, onChange, ...rest }: Props) {
  return (
    <PasswordInput
      {...rest}
      label={label}
      autoComplete="current-password"
      required
      withAsterisk={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
