import { Badge, Checkbox, Text } from '@mantine/core';
import type { Addon, PriceListQuery } from '../generated/graphql.js';
import { showCredits } from '../lib/credits.js';
import classes from './AddonChoice.module.css';

export interface AddonWishes {
  readonly branding: boolean;
  readonly encryption: boolean;
}

interface Props {
  readonly addons: PriceListQuery['priceList']['addons'];
  readonly wishes: AddonWishes;
  readonly onChange: (wishes: Partial<AddonWishes>) => void;
}

const ADDONS: Record<Addon, { readonly key: keyof AddonWishes; readonly label: string; readonly note: string }> = {
  BRANDING: { key: 'branding', label: 'Branding', note: 'your logo in the picture' },
  ENCRYPTION: { key: 'encryption', label: 'Encryption', note: 'AES-128' },
};

/** What can be had beside the quality, with its price. What the service does not offer yet is shown as coming. */
export function AddonChoice({ addons, wishes, onChange }: Props) {
  return (
    <fieldset className={classes['addons']}>
      <Text component="legend" size="sm" fw={500}>
        Add-ons
      </Text>
      {addons.map(({ addon, available, creditsPerMinute }) => {
        const { key, label, note } = ADDONS[addon];
        return (
          <Checkbox
            key={addon}
            disabled={!available}
            checked={wishes[key]}
            label={
              <span className={classes['label']}>
                {label}
                {available ? null : (
                  <Badge size="xs" color="gray" tt="none">
                    coming
                  </Badge>
                )}
              </span>
            }
            description={`${note}, ${showCredits(creditsPerMinute)} credits a minute`}
            onChange={(event) => onChange({ [key]: event.currentTarget.checked })}
          />
        );
      })}
    </fieldset>
  );
}
