import { words } from '#words/testFaults.js';
import { TextInput } from '@mantine/core';
import { TestFaultField } from '../parts/TestFaultField.js';
import type { TestFault } from './types.js';

const FIRST_SECONDS = 60;
const MAX_SECONDS = 600;

interface Props {
  readonly value: TestFault;
  readonly onChange: (value: TestFault) => void;
}

/** The fault of all chosen test videos. */
export function TestFaultFields({ value: { testFault, testFaultSeconds }, onChange }: Props) {
  const waits = testFault === 'READY_AFTER_N_SECONDS';
  return (
    <>
      <TestFaultField
        faults={words.videos}
        value={testFault ?? null}
        onChange={(fault) =>
          onChange({ testFault: fault, testFaultSeconds: fault === 'READY_AFTER_N_SECONDS' ? FIRST_SECONDS : null })
        }
      />
      {waits ? (
        <TextInput
          label={words.seconds}
          type="number"
          min={1}
          max={MAX_SECONDS}
          required
          withAsterisk={false}
          value={testFaultSeconds ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onChange({ testFault, testFaultSeconds: value === '' ? null : Number(value) })
          }
        />
      ) : null}
    </>
  );
}
