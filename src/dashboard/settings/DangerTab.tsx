import { words } from '#words/closing.js';
import { DangerZone } from './DangerZone.js';
import { SettingsCard, SettingsCards } from './SettingsCards.js';

/** What cannot be undone. */
export default function DangerTab() {
  return (
    <SettingsCards>
      <SettingsCard title={words.title}>
        <DangerZone />
      </SettingsCard>
    </SettingsCards>
  );
}
