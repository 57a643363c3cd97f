import type { WalletUseQuery } from '../../generated/graphql.js';
import { LatestTopUps } from '../topUps/LatestTopUps.js';
import classes from '../WalletPage.module.css';
import { SpendingCard } from './SpendingCard.js';
import { StorageCard } from './StorageCard.js';
import { WarningCard } from './WarningCard.js';

/** What the credits are used for, and where they came from. */
export default function UseCards({ wallet, storage }: WalletUseQuery) {
  return (
    <>
      <SpendingCard />
      <StorageCard storage={storage} wallet={wallet} />
      <div className={classes['pair']}>
        <LatestTopUps />
        <WarningCard current={wallet.lowBalanceWarning} />
      </div>
    </>
  );
}
