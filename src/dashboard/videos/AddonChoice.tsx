import { useQuery } from '@apollo/client/react';
import { Anchor, Checkbox, Text } from '@mantine/core';
import { Link } from 'react-router';
import { BrandDocument, type Addon, type PriceListQuery } from '../generated/graphql.js';
import { showCredits } from '../lib/credits.js';
import classes from './AddonChoice.module.css';

export interface AddonWishes {
  readonly branding: boolean;
  readonly encryption: boolean;
}

interface Props {
  readonly addons: PriceListQuery['priceList']['addons'];
  readonly wishes: AddonWishes;
  /** Audio-only videos can’t use branding. */
  readonly hasPicture: boolean;
  readonly onChange: (wishes: Partial<AddonWishes>) => void;
}

const ADDONS: Record<Addon, { readonly key: keyof AddonWishes; readonly label: string; readonly note: string }> = {
  BRANDING: { key: 'branding', label: 'Branding', note: 'your logo in the picture' },
  ENCRYPTION: { key: 'encryption', label: 'Encryption', note: 'stored and sent encrypted (AES-128)' },
};

/** What can be had beside the quality, with its price. */
export function AddonChoice({ addons, wishes, hasPicture, onChange }: Props) {
  const { data } = useQuery(BrandDocument, { fetchPolicy: 'cache-and-network' });
  const lacksLogo = data !== undefined && data.brand === null;
  return (
    <fieldset className={classes['addons']}>
      <Text component="legend" size="sm" fw={600}>
        Add-ons
      </Text>
      {addons.map(({ addon, creditsPerMinute }) => {
        const { key, label, note } = ADDONS[addon];
        const isBranding = addon === 'BRANDING';
        const price = `${showCredits(creditsPerMinute)} credits a minute`;
        const isPictureless = isBranding && !hasPicture;
        // What is chosen already can be taken back.
        const isClosed = isPictureless || (isBranding && !wishes.branding && (data === undefined || lacksLogo));
        return (
          <Checkbox
            key={addon}
            disabled={isClosed}
            checked={wishes[key] && !isPictureless}
            label={label}
            description={
              isBranding && lacksLogo ? (
                <>
                  {price}. There is no logo yet:{' '}
                  <Anchor component={Link} to="/settings#branding" inherit>
                    set one in the settings
                  </Anchor>
                </>
              ) : (
                `${isPictureless ? 'not for sound alone' : note}, ${price}`
              )
            }
            onChange={(event) => onChange({ [key]: event.currentTarget.checked })}
          />
        );
      })}
    </fieldset>
  );
}
