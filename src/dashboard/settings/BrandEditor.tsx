import { useMutation } from '@apollo/client/react';
import { Button, Group, Stack } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { RemoveBrandDocument, SetBrandDocument, type BrandFieldsFragment } from '../generated/graphql.js';
import { ConfirmDialog } from '../parts/ConfirmDialog.js';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import type { Placement } from './brandBox.js';
import classes from './Branding.module.css';
import { BrandPreview } from './BrandPreview.js';
import { LogoDrop } from './LogoDrop.js';
import { PercentField } from './PercentField.js';
import { PositionPicker } from './PositionPicker.js';

interface Props {
  readonly brand: BrandFieldsFragment;
  readonly onChanged: () => Promise<unknown>;
}

/** Where the logo lies, seen while it is moved; and the way to another logo, or to none. */
export function BrandEditor({ brand, onChanged }: Props) {
  const [placement, setPlacement] = useState<Placement>({
    position: brand.position,
    widthPercent: brand.widthPercent,
    marginPercent: brand.marginPercent,
    opacityPercent: brand.opacityPercent,
  });
  const [removing, setRemoving] = useState(false);
  const [setBrand] = useMutation(SetBrandDocument);
  const [removeBrand] = useMutation(RemoveBrandDocument);
  const save = useAction(async () => {
    await setBrand({ variables: { placement } });
    await onChanged();
    showToast({ kind: 'good', title: 'Saved for the videos to come' });
  });
  const names = Object.keys(placement) as (keyof Placement)[];
  const isChanged = names.some((name) => placement[name] !== brand[name]);
  const change = (part: Partial<Placement>) => setPlacement((before) => ({ ...before, ...part }));

  function submit(event: FormEvent): void {
    event.preventDefault();
    void save.run();
  }

  return (
    <Stack>
      <BrandPreview brand={brand} placement={placement} />
      <form onSubmit={submit}>
        <Stack>
          <div className={classes['controls']}>
            <PositionPicker value={placement.position} onChange={(position) => change({ position })} />
            <Stack gap="sm">
              <PercentField
                label="Size"
                note="of the picture's width"
                least={2}
                most={50}
                value={placement.widthPercent}
                onChange={(widthPercent) => change({ widthPercent })}
              />
              <PercentField
                label="Margin"
                note="to the edges"
                least={0}
                most={20}
                value={placement.marginPercent}
                onChange={(marginPercent) => change({ marginPercent })}
              />
              <PercentField
                label="Opacity"
                note="100 hides what is behind"
                least={5}
                most={100}
                value={placement.opacityPercent}
                onChange={(opacityPercent) => change({ opacityPercent })}
              />
            </Stack>
          </div>
          <FormError error={save.error} />
          <Group>
            <Button type="submit" disabled={!isChanged} loading={save.busy}>
              Save placement
            </Button>
            <Button
              variant="subtle"
              color="gray"
              leftSection={<Icon name="trash" size={17} />}
              onClick={() => setRemoving(true)}
            >
              Remove logo
            </Button>
          </Group>
        </Stack>
      </form>
      <LogoDrop title="Replace the logo" onSent={onChanged} />
      <ConfirmDialog
        opened={removing}
        title="Remove the logo?"
        verb="Remove"
        onClose={() => setRemoving(false)}
        onConfirm={async () => {
          await removeBrand();
          await onChanged();
        }}
      >
        Branding can then not be chosen for a video. Videos already processed with the logo keep it.
      </ConfirmDialog>
    </Stack>
  );
}
