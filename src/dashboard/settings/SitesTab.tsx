import { words } from '#words/settings.js';
import { DomainsForm } from './DomainsForm.js';
import { SettingsCard, SettingsCards } from './SettingsCards.js';

export default function SitesTab() {
  return (
    <SettingsCards>
      <SettingsCard title={words.page.sites}>
        <DomainsForm />
      </SettingsCard>
    </SettingsCards>
  );
}
