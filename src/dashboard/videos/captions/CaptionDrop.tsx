import { words } from '#words/captions.js';
import '@mantine/dropzone/styles.layer.css';
import { Dropzone } from '@mantine/dropzone';
import { Button, Input } from '@mantine/core';
import { useRef } from 'react';
import { showBytes } from '../../lib/format.js';
import { beginHere } from './beginHere.js';
import classes from './captions.module.css';

interface Props {
  readonly file: File | null;
  readonly fault: string | null;
  readonly disabled: boolean;
  readonly onFile: (file: File) => void;
}

/** Accepts a captions file by drop or button. */
export function CaptionDrop({ file, fault, disabled, onFile }: Props) {
  const choose = useRef<() => void>(null);
  return (
    <div>
      <Dropzone
        onDrop={([dropped]) => (dropped ? onFile(dropped) : undefined)}
        // Of several files, take the first.
        onReject={([refused]) => (refused ? onFile(refused.file) : undefined)}
        multiple={false}
        disabled={disabled}
        openRef={choose}
        activateOnClick={false}
        activateOnKeyboard={false}
        enablePointerEvents
        mod={{ faulty: fault !== null }}
        classNames={{ root: classes['drop'] ?? '', inner: classes['dropInner'] ?? '' }}
        inputProps={{ 'aria-label': words.captionDrop.captionFile, accept: '.srt,.vtt' }}
      >
        <div className={classes['words']}>
          <p className={classes['dropTitle']}>{file ? file.name : words.captionDrop.dropFileHere}</p>
          <p className={`${classes['facts']} num`}>{file ? showBytes(file.size) : words.captionDrop.srtWebvttUtf8}</p>
        </div>
        <Button
          ref={beginHere}
          size="xs"
          variant="default"
          disabled={disabled}
          aria-describedby="caption-file-fault"
          onClick={() => choose.current?.()}
        >
          {file ? words.captionDrop.chooseAnotherFile : words.captionDrop.chooseFile}
        </Button>
      </Dropzone>
      <div id="caption-file-fault" role="alert">
        {fault === null ? null : <Input.Error mt={6}>{fault}</Input.Error>}
      </div>
    </div>
  );
}
