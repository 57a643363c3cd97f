import { words } from '#words/settings.js';
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

/** Edits the logo's placement with a live preview, and replaces or removes the logo. */
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
    showToast({ kind: 'good', title: words.brand.saved });
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
                label={words.brand.size}
                note={words.brand.sizeNote}
                least={2}
                most={50}
                value={placement.widthPercent}
                onChange={(widthPercent) => change({ widthPercent })}
              />
              <PercentField
                label={words.brand.margin}
                note={words.brand.marginNote}
                least={0}
                most={20}
                value={placement.marginPercent}
                onChange={(marginPercent) => change({ marginPercent })}
              />
              <PercentField
                label={words.brand.opacity}
                note={words.brand.opacityNote}
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
              {words.brand.save}
            </Button>
            <Button
              variant="subtle"
              color="gray"
              leftSection={<Icon name="trash" size={17} />}
              onClick={() => setRemoving(true)}
            >
              {words.brand.remove}
            </Button>
          </Group>
        </Stack>
      </form>
      <LogoDrop title={words.brand.replace} onSent={onChanged} />
      <ConfirmDialog
        opened={removing}
        title={words.brand.removeTitle}
        verb={words.brand.removeVerb}
        onClose={() => setRemoving(false)}
        onConfirm={async () => {
          await removeBrand();
          await onChanged();
        }}
      >
        {words.brand.removeNote}
      </ConfirmDialog>
    </Stack>
  );
}
