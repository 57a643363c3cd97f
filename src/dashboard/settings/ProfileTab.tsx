import { words } from '#words/settings.js';
import { useViewer } from '../session/viewer.js';
import { ConfirmAddress } from './ConfirmAddress.js';
import { EmailForm } from './EmailForm.js';
import { NameForm } from './NameForm.js';
import { SettingsCard, SettingsCards } from './SettingsCards.js';
import classes from './SettingsPage.module.css';

export default function ProfileTab() {
  const viewer = useViewer();
  return (
    <SettingsCards>
      <ConfirmAddress />
      <SettingsCard title={words.page.account}>
        <NameForm name={viewer.name} />
        <EmailForm email={viewer.email} />
        <dl className={classes['facts']}>
          <dt>{words.page.accountId}</dt>
          <dd className="clip">{viewer.account.id}</dd>
        </dl>
      </SettingsCard>
    </SettingsCards>
  );
}
