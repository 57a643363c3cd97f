import { useApolloClient } from '@apollo/client/react';
import { useEffect, useRef } from 'react';
import { refresh } from '../session/refresh.js';
import type { WalletBalancesFragment } from '../generated/graphql.js';

/** Queries that a change of the balances probably affects. */
const MONEY = new Set(['TopUps', 'TopUp', 'Spending', 'StorageHistory', 'WalletUse', 'Statements']);

/** All balances in one string: it changes with every posting. */
export function signatureOf(wallet: WalletBalancesFragment | undefined): string | undefined {
  if (!wallet) return undefined;
  const { master, creative, cloud, ai, escrow, refundHold, disputeHold, debt } = wallet;
  return [master, creative, cloud, ai, escrow, refundHold, disputeHold, debt].join();
}

/** Refetches the open pages of the wallet whenever the live balances change. */
export function useMoneyRefresh(wallet: WalletBalancesFragment | undefined): void {
  const client = useApolloClient();
  const signature = signatureOf(wallet);
  const before = useRef(signature);

  useEffect(() => {
    const isFirst = before.current === undefined;
    const isSame = before.current === signature;
    before.current = signature;
    if (isFirst || isSame) return;
    refresh(client, MONEY);
  }, [client, signature]);
}
