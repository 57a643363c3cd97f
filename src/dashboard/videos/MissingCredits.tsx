import { words } from '#words/videos.js';
import { useMutation } from '@apollo/client/react';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { AllocateCreditsDocument, type WalletBalancesFragment } from '../generated/graphql.js';
import { microsOf, showCredits, toCredits } from '../lib/credits.js';
import { FormError } from '../parts/States.js';
import { useAction } from '../parts/useAction.js';
import type { Quote } from './QuoteTable.js';

interface Props {
  /** The price, and what Creative lacks for it. */
  readonly quote: Pick<Quote, 'total' | 'missing'>;
  readonly wallet: WalletBalancesFragment;
  /** The credits have arrived: request `missing` of the quote again. */
  readonly onMoved?: () => void;
}

/** What Creative has and lacks, and a button that moves the difference from Master. */
export function MissingCredits({ quote, wallet, onMoved }: Props) {
  const [allocate] = useMutation(AllocateCreditsDocument);
  // One key for this dialog, so that a repeated click after a lost response moves the credits only once.
  const [idempotencyKey, setKey] = useState(() => crypto.randomUUID());
  const move = useAction(async () => {
    await allocate({ variables: { from: 'MASTER', to: 'CREATIVE', amount: quote.missing, idempotencyKey } });
    setKey(crypto.randomUUID());
    onMoved?.();
  });

  if (quote.missing === '0') {
    return (
      <Text size="sm" c="dimmed" className="num">
        {words.missingCredits.creativeHasCreditsWill(
          showCredits(wallet.creative),
          showCredits(toCredits(microsOf(wallet.creative) - microsOf(quote.total))),
        )}
      </Text>
    );
  }
  const affordable = microsOf(wallet.master) >= microsOf(quote.missing);
  return (
    <Alert color="yellow" title={words.missingCredits.needMoreCredits(showCredits(quote.missing))}>
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
              {words.missingCredits.moveFromMaster(showCredits(quote.missing))}
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
