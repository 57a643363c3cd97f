import { words } from '#words/supportAccount.js';
import { Title } from '@mantine/core';
import { showBytes, showMoment } from '../../lib/format.js';
import { showPerMonth } from '../../lib/credits.js';
import { showRunway } from '../../lib/runway.js';
import { Email, Facts, Labelled } from '../parts/Bits.js';
import classes from '../parts/console.module.css';
import type { StaffAccount } from './staffAccount.js';
import { ExplainPlaybackCard } from './ExplainPlaybackCard.js';
import { AccountWallet } from './AccountWallet.js';
import { NotesCard } from './NotesCard.js';
import { KeysPanel } from './KeysPanel.js';
import { StorageChart } from './StorageChart.js';

export function AccountOverview({ account }: { account: StaffAccount }) {
  return (
    <div className={classes['columns']}>
      <div>
        <KeysPanel account={account} />
        <ExplainPlaybackCard accountId={account.id} />
      </div>
      <div>
        <NotesCard accountId={account.id} />
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
        {words.accountOverview.owner}
      </Title>
      <Facts
        of={[
          [words.accountOverview.name, account.name],
          [
            words.accountOverview.email,
            <>
              <Email of={account.email} />
              {account.emailVerified ? '' : words.accountOverview.notVerified}
            </>,
          ],
          [
            words.accountOverview.role,
            account.role === 'SUPPORT' ? words.accountOverview.supportStaff : words.accountOverview.owner,
          ],
          [words.accountOverview.signedUp, showMoment(account.createdAt)],
        ]}
      />
      <Labelled label={words.accountOverview.accountId} value={account.id} />
    </section>
  );
}

function StorageCard({ account }: { account: StaffAccount }) {
  const { bytes, creditsPerDay, runwayDays, autoAllocate } = account.storage;
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="storage-title">
      <Title order={2} id="storage-title">
        {words.accountOverview.storage}
      </Title>
      <Facts
        of={[
          [words.accountOverview.stored, showBytes(bytes)],
          [words.accountOverview.costs, words.accountOverview.creditsPerMonth(showPerMonth(creditsPerDay))],
          [words.accountOverview.funded, runwayDays === null ? null : showRunway(runwayDays)],
          [
            words.accountOverview.whenCloudRunsOut,
            autoAllocate ? words.accountOverview.masterPays : words.accountOverview.becomesDebt,
          ],
        ]}
      />
      <StorageChart accountId={account.id} />
    </section>
  );
}
