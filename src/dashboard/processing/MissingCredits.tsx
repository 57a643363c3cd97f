import { words } from '#words/videos.js';
import { useMutation } from '@apollo/client/react';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { AllocateCreditsDocument, type WalletBalancesFragment } from '../generated/graphql.js';
import { microsOf, showCredits, toCredits } from '../lib/credits.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import { drawsFromMaster, fundingOf } from './funding.js';

interface Props {
  /** The price, in credits. */
  readonly total: string;
  readonly wallet: WalletBalancesFragment;
}

/** What pays a price. If credits are missing, how many, and how to get them. */
export function MissingCredits({ total, wallet }: Props) {
  const { fromCreative, fromMaster, missing } = fundingOf(microsOf(total), wallet);
  const [allocate] = useMutation(AllocateCreditsDocument);
  // One key for this dialog, so that a repeated click after a lost response moves the credits only once.
  const [idempotencyKey, setKey] = useState(() => crypto.randomUUID());
  const move = useAction(async () => {
    await allocate({ variables: { from: 'MASTER', to: 'CREATIVE', amount: toCredits(missing), idempotencyKey } });
    setKey(crypto.randomUUID());
  });

  if (missing === 0n && fromMaster > 0n) {
    return (
      <Text size="sm" c="dimmed" className="num">
        {fromCreative === 0n
          ? words.missingCredits.takesFromMaster(showCredits(toCredits(fromMaster)))
          : words.missingCredits.takesFromBoth(
              showCredits(toCredits(fromCreative)),
              showCredits(toCredits(fromMaster)),
            )}
      </Text>
    );
  }
  if (missing === 0n) {
    return (
      <Text size="sm" c="dimmed" className="num">
        {words.missingCredits.creativeHasCreditsWill(
          showCredits(wallet.creative),
          showCredits(toCredits(microsOf(wallet.creative) - microsOf(total))),
        )}
      </Text>
    );
  }
  // With automatic allocation, what Master has is counted already.
  const affordable = !drawsFromMaster(wallet) && microsOf(wallet.master) >= missing;
  return (
    <Alert color="yellow" title={words.missingCredits.needMoreCredits(showCredits(toCredits(missing)))}>
      <Stack gap="sm" align="flex-start" className="num">
        <Text size="sm">
          {words.missingCredits.creativeHasCreditsMaster(
            showCredits(wallet.creative),
            showCredits(wallet.master),
            affordable,
          )}
        </Text>
        <Group>
          {affordable ? (
            <Button size="sm" loading={move.busy} onClick={() => void move.run()}>
              {words.missingCredits.moveFromMaster(showCredits(toCredits(missing)))}
            </Button>
          ) : (
            <Button component={Link} to="/wallet" size="sm">
              {words.missingCredits.addCreditsWallet}
            </Button>
          )}
        </Group>
        <FormError error={move.error} />
      </Stack>
    </Alert>
  );
}
