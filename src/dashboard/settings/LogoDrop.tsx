import { words } from '#words/settings.js';
import '@mantine/dropzone/styles.layer.css';
import { Dropzone } from '@mantine/dropzone';
import { Stack } from '@mantine/core';
import { Icon } from '../parts/Icon.js';
import { FormError } from '../parts/States.js';
import { showToast } from '../parts/toasts.js';
import { useAction } from '../parts/useAction.js';
import classes from './Branding.module.css';
import { sendLogo } from './brandCalls.js';

interface Props {
  readonly title: string;
  readonly onSent: () => Promise<unknown>;
}

/** Accepts a logo by drop, click or key. The service checks what the file contains. */
export function LogoDrop({ title, onSent }: Props) {
  const { run, busy, error } = useAction(async (file: File) => {
    await sendLogo(file);
    await onSent();
    showToast({ kind: 'good', title: words.brand.uploaded });
  });
  return (
    <Stack gap="sm">
      <Dropzone
        onDrop={([file]) => (file ? void run(file) : undefined)}
        maxFiles={1}
        multiple={false}
        disabled={busy}
        aria-busy={busy}
        classNames={{ root: classes['drop'] ?? '', inner: classes['dropInner'] ?? '' }}
        inputProps={{ 'aria-label': words.brand.file, accept: 'image/png,image/svg+xml' }}
        aria-label={title}
      >
        <Icon name="upload" size={22} />
        <div>
          <p className={classes['dropTitle']} role="status">
            {busy ? words.brand.uploading : title}
          </p>
          <p className={classes['note']}>{words.brand.fileNote}</p>
        </div>
      </Dropzone>
      <FormError error={error} />
    </Stack>
  );
}
