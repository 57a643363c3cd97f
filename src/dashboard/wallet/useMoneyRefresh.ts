import { useApolloClient } from '@apollo/client/react';
import { useEffect, useRef } from 'react';
import { refresh } from '../app/refresh.js';
import type { WalletBalancesFragment } from '../generated/graphql.js';

/** What a change of the balances most likely changes, too. */
const MONEY = new Set(['TopUps', 'TopUp', 'Spending', 'StorageHistory', 'WalletUse', 'Statements']);

/** Every balance in one string: another one means that something was booked. */
export function signatureOf(wallet: WalletBalancesFragment | undefined): string | undefined {
  if (!wallet) return undefined;
  const { master, creative, cloud, ai, escrow, refundHold, disputeHold, debt } = wallet;
  return [master, creative, cloud, ai, escrow, refundHold, disputeHold, debt].join();
}

/** Reads again what is open of the wallet's pages whenever the balances, which are live, have moved. */
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
