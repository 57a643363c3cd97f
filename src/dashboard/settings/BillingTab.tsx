import { words } from '#words/settings.js';
import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { BillingCard } from '../wallet/documents/BillingCard.js';
import { SettingsCards } from './SettingsCards.js';

/** The buyer named on receipts. The documents themselves are in the wallet. */
export default function BillingTab() {
  return (
    <SettingsCards>
      <BillingCard />
      <Text size="sm" c="dimmed">
        {words.billing.elsewhere((text) => (
          <Anchor component={Link} to="/wallet/documents" inherit underline="always">
            {text}
          </Anchor>
        ))}
      </Text>
    </SettingsCards>
  );
}
