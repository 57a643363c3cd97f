import { words } from '#words/videos.js';
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
  BRANDING: { key: 'branding', label: words.addonChoice.branding, note: words.addonChoice.logoPicture },
  ENCRYPTION: {
    key: 'encryption',
    label: words.addonChoice.encryption,
    note: words.addonChoice.storedSentEncryptedAes,
  },
};

/** The add-ons, with their prices. */
export function AddonChoice({ addons, wishes, hasPicture, onChange }: Props) {
  const { data } = useQuery(BrandDocument, { fetchPolicy: 'cache-and-network' });
  const lacksLogo = data !== undefined && data.brand === null;
  return (
    <fieldset className={classes['addons']}>
      <Text component="legend" size="sm" fw={600}>
        {words.addonChoice.addOns}
      </Text>
      {addons.map(({ addon, creditsPerMinute }) => {
        const { key, label, note } = ADDONS[addon];
        const isBranding = addon === 'BRANDING';
        const price = words.addonChoice.creditsPerMinute(showCredits(creditsPerMinute));
        const isPictureless = isBranding && !hasPicture;
        // An add-on that is already selected can be deselected.
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
                  {words.addonChoice.noLogoYetAdd(price, (text) => (
                    <Anchor component={Link} to="/settings/branding" inherit>
                      {text}
                    </Anchor>
                  ))}
                </>
              ) : (
                `${isPictureless ? words.addonChoice.notAudioOnly : note}, ${price}`
              )
            }
            onChange={(event) => onChange({ [key]: event.currentTarget.checked })}
          />
        );
      })}
    </fieldset>
  );
}
