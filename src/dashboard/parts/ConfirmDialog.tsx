import { words } from '#words/parts.js';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { FormError } from './States.js';

interface Props {
  readonly opened: boolean;
  readonly title: string;
  readonly children: ReactNode;
  /** The verb on the button: "Delete". */
  readonly verb: string;
  /** The label of the other button, if "Cancel" would be ambiguous. */
  readonly otherwise?: string;
  readonly onClose: () => void;
  /** Rejects on failure; the dialog then shows why and stays open. */
  readonly onConfirm: () => Promise<unknown>;
}

/** Asks for confirmation of an action that cannot be undone. */
export function ConfirmDialog({
  opened,
  title,
  children,
  verb,
  otherwise = words.confirmDialog.cancel,
  onClose,
  onConfirm,
}: Props) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function confirm(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Stack>
        <Text size="sm">{children}</Text>
        <FormError error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {otherwise}
          </Button>
          <Button color="red.9" loading={busy} onClick={() => void confirm()}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
