import { words } from '#words/testFaults.js';
import { NativeSelect } from '@mantine/core';
import { isTestMode } from '../session/mode.js';

interface Props<Fault extends string> {
  /** What each fault is called. */
  readonly faults: Readonly<Record<Fault, string>>;
  readonly value: Fault | null;
  readonly onChange: (fault: Fault | null) => void;
}

/** What a new key, video or webhook endpoint of test mode does wrong on purpose. Live mode has no faults. */
export function TestFaultField<Fault extends string>({ faults, value, onChange }: Props<Fault>) {
  if (!isTestMode) return null;
  return (
    <NativeSelect
      label={words.label}
      description={words.note}
      value={value ?? ''}
      data={[
        { value: '', label: words.none },
        ...Object.entries<string>(faults).map(([name, label]) => ({ value: name, label })),
      ]}
      onChange={(event) => onChange((event.currentTarget.value || null) as Fault | null)}
    />
  );
}
