import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useIsReadOnly } from '../session/viewer.js';
import { Icon } from './Icon.js';

/** Leads to the upload page, where it is of use. */
export function UploadLink({ children }: { children: ReactNode }) {
  const icon = <Icon name="upload" size={18} />;
  return useIsReadOnly() ? (
    <Button disabled leftSection={icon}>
      {children}
    </Button>
  ) : (
    <Button component={Link} to="/upload" leftSection={icon}>
      {children}
    </Button>
  );
}
