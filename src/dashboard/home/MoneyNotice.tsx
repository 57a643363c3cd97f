import { words } from '#words/moneyNotice.js';
import { Alert, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { microsOf, showCredits, toCredits } from '../lib/credits.js';
import { Icon } from '../parts/Icon.js';
import { leftOf, type Money, type MoneyProblem } from './moneyProblem.js';
import { sayRunway } from '../lib/runway.js';
import { remedyOf } from './StoragePanel.js';

/** A problem with the wallet, and how to fix it: red for what is owed, yellow for what is about to run out. */
export default function MoneyNotice({ problem, wallet, storage }: Money & { problem: MoneyProblem }) {
  switch (problem) {
    case 'debt':
      return (
        <Notice
          color="red"
          title={words.oweCredits(showCredits(toCredits(-microsOf(wallet.debt))))}
          action={words.payInWallet}
        >
          {words.newJobsStartOnce}
        </Notice>
      );
    case 'runway':
      return (
        <Notice color="yellow" title={sayRunway(storage.runwayDays)} action={remedyOf(storage.autoAllocate)}>
          {words.unpaidStorageBecomesDebt}
        </Notice>
      );
    case 'low':
      return (
        <Notice
          color="yellow"
          title={words.creditsLeft(showCredits(toCredits(leftOf(wallet))))}
          action={words.addCredits}
        >
          {words.belowAlertThreshold(showCredits(wallet.lowBalanceWarning ?? '0'))}
        </Notice>
      );
  }
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
