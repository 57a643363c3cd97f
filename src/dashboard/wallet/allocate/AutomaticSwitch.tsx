import { words } from '#words/wallet.js';
import { useMutation } from '@apollo/client/react';
import { Switch } from '@mantine/core';
import { useIsReadOnly } from '../../session/viewer.js';
import { SetAutomaticAllocationDocument, type WalletBalancesFragment } from '../../generated/graphql.js';
import { FormError } from '../../parts/States.js';
import { useAction } from '../../parts/useAction.js';

const WORDS = {
  CREATIVE: { label: words.automaticAllocation.creative, note: words.automaticAllocation.creativeNote },
  CLOUD: { label: words.automaticAllocation.cloud, note: words.automaticAllocation.cloudNote },
} as const;

/** Whether a bucket draws from Master what it lacks. */
export function AutomaticSwitch({ bucket, wallet }: { bucket: keyof typeof WORDS; wallet: WalletBalancesFragment }) {
  const isReadOnly = useIsReadOnly();
  // How long storage is funded depends on it, and so does what Home says about it.
  const [set] = useMutation(SetAutomaticAllocationDocument, {
    refetchQueries: ['WalletUse'],
    awaitRefetchQueries: true,
  });
  const { run, busy, error } = useAction(async (enabled: boolean) => set({ variables: { bucket, enabled } }));
  return (
    <>
      <Switch
        label={WORDS[bucket].label}
        description={WORDS[bucket].note}
        checked={wallet.automaticAllocation.includes(bucket)}
        disabled={busy || isReadOnly}
        onChange={(event) => void run(event.currentTarget.checked)}
      />
      <FormError error={error} />
    </>
  );
}
