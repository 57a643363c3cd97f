import { words } from '#words/settings.js';
import { useViewer } from '../app/viewer.js';
import { NameForm } from './NameForm.js';
import { SettingsCard, SettingsCards } from './SettingsCards.js';
import classes from './SettingsPage.module.css';

export default function ProfileTab() {
  const viewer = useViewer();
  return (
    <SettingsCards>
      <SettingsCard title={words.page.account}>
        <NameForm name={viewer.name} />
        <dl className={classes['facts']}>
          <dt>{words.page.email}</dt>
          <dd>{viewer.email}</dd>
          <dt>{words.page.accountId}</dt>
          <dd className="clip">{viewer.account.id}</dd>
        </dl>
      </SettingsCard>
    </SettingsCards>
  );
}
