import { words } from '#words/home.js';
import { Alert, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { HomeQuery } from '../generated/graphql.js';
import { microsOf, showCredits, toCredits } from '../lib/credits.js';
import { Icon } from '../parts/Icon.js';
import { showRunway } from './runway.js';
import { remedyOf, SHORT_RUNWAY_DAYS } from './StoragePanel.js';

interface Props {
  readonly wallet: HomeQuery['wallet'];
  readonly storage: HomeQuery['storage'];
}

/**
 * The worst problem with the wallet, and how to fix it: red for what is owed, yellow for what is about to run out. Empty if
 * there is none.
 */
export function MoneyNotice({ wallet, storage }: Props) {
  const debt = microsOf(wallet.debt);
  if (debt < 0n) {
    return (
      <Notice
        color="red"
        title={words.moneyNotice.oweCredits(showCredits(toCredits(-debt)))}
        action={words.moneyNotice.payInWallet}
      >
        {words.moneyNotice.newJobsStartOnce}
      </Notice>
    );
  }
  const { runwayDays } = storage;
  if (runwayDays !== null && runwayDays < SHORT_RUNWAY_DAYS) {
    return (
      <Notice color="yellow" title={showRunway(runwayDays)} action={remedyOf(storage.autoAllocate)}>
        {words.moneyNotice.unpaidStorageBecomesDebt}
      </Notice>
    );
  }
  const warnBelow = wallet.lowBalanceWarning;
  const left = [wallet.master, wallet.creative, wallet.cloud].reduce((sum, amount) => sum + microsOf(amount), 0n);
  if (warnBelow !== null && left < microsOf(warnBelow)) {
    return (
      <Notice
        color="yellow"
        title={words.moneyNotice.creditsLeft(showCredits(toCredits(left)))}
        action={words.moneyNotice.addCredits}
      >
        {words.moneyNotice.belowAlertThreshold(showCredits(warnBelow))}
      </Notice>
    );
  }
  return null;
}

interface NoticeProps {
  readonly color: string;
  readonly title: string;
  readonly children: ReactNode;
  /** The label of the link to the wallet. */
  readonly action: string;
}

function Notice({ color, title, children, action }: NoticeProps) {
  return (
    <Alert color={color} title={title} icon={<Icon name="alert" size={18} />} role="status">
      {children}
      <div style={{ marginTop: 10 }}>
        <Button component={Link} to="/wallet" size="xs" variant="default">
          {action}
        </Button>
      </div>
    </Alert>
  );
}
