import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { CopyField } from './CopyField.js';

/** The secret that a form in a dialog has created, until the dialog closes. */
export function useNewSecret(onClose: () => void) {
  const [secret, setSecret] = useState<string>();

  function close(): void {
    onClose();
    setSecret(undefined);
  }

  return { secret, setSecret, close };
}

interface DialogProps {
  readonly opened: boolean;
  readonly title: string;
  readonly isShown: boolean;
  readonly onClose: () => void;
  /** The form that creates a secret, and then the secret itself. */
  readonly children: ReactNode;
}

export function SecretDialog({ opened, title, isShown, onClose, children }: DialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      size="lg"
      // The secret is shown only this once: a misplaced click must not close the dialog.
      closeOnClickOutside={!isShown}
    >
      {children}
    </Modal>
  );
}

interface ShownProps {
  readonly secret: string;
  readonly words: {
    readonly heading: string;
    readonly note: string;
    readonly label: string;
    readonly copied: string;
  };
  readonly onDone: () => void;
  /** Below the secret, such as how to use it. */
  readonly children?: ReactNode;
}

/** A secret that cannot be read again, to be copied. */
export function ShownOnce({ secret, words, onDone, children }: ShownProps) {
  return (
    <Stack>
      <Alert color="yellow" title={words.heading}>
        {words.note}
      </Alert>
      <CopyField label={words.label} value={secret} />
      {children}
      <Group justify="flex-end">
        <Button onClick={onDone}>{words.copied}</Button>
      </Group>
    </Stack>
  );
}
