import { Title } from '@mantine/core';
import { showBytes, showMoment, showNumber } from '../../lib/format.js';
import { showCredits } from '../../lib/credits.js';
import { CopyField } from '../../parts/CopyField.js';
import { Facts } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import type { StaffAccount } from './staffAccount.js';
import { AccountWallet } from './AccountWallet.js';
import { KeysPanel } from './KeysPanel.js';
import { StorageChart } from './StorageChart.js';

export function AccountOverview({ account }: { account: StaffAccount }) {
  return (
    <div className={classes['columns']}>
      <div>
        <KeysPanel account={account} />
      </div>
      <div>
        <AccountWallet account={account} />
        <Who account={account} />
        <StorageCard account={account} />
      </div>
    </div>
  );
}

function Who({ account }: { account: StaffAccount }) {
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="who-title">
      <Title order={2} id="who-title">
        Who
      </Title>
      <Facts
        of={[
          ['Name', account.name],
          ['E-mail', `${account.email}${account.emailVerified ? '' : ' (not confirmed)'}`],
          ['Role', account.role === 'SUPPORT' ? 'Support staff' : 'Owner'],
          ['Signed up', showMoment(account.createdAt)],
        ]}
      />
      <CopyField label="Account id" value={account.id} />
    </section>
  );
}

function StorageCard({ account }: { account: StaffAccount }) {
  const { bytes, creditsPerDay, runwayDays, autoAllocate } = account.storage;
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="storage-title">
      <Title order={2} id="storage-title">
        Storage
      </Title>
      <Facts
        of={[
          ['Stored', showBytes(bytes)],
          ['Costs', `${showCredits(creditsPerDay)} credits a day`],
          ['Paid for', runwayDays === null ? null : `${showNumber(runwayDays)} days`],
          ['Beyond Cloud', autoAllocate ? 'Master pays' : 'It becomes debt'],
        ]}
      />
      <StorageChart accountId={account.id} />
    </section>
  );
}
