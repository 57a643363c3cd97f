import { words } from '#words/settings.js';
import { Branding } from './Branding.js';
import { SettingsCard, SettingsCards } from './SettingsCards.js';

export default function BrandingTab() {
  return (
    <SettingsCards>
      <SettingsCard title={words.page.branding}>
        <Branding />
      </SettingsCard>
    </SettingsCards>
  );
}
