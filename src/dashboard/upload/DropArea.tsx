import '@mantine/dropzone/styles.layer.css';
import { Dropzone } from '@mantine/dropzone';
import { Icon } from '../parts/Icon.js';
import classes from './DropArea.module.css';

interface Props {
  readonly onFiles: (files: readonly File[]) => void;
  /** Smaller, once there is something else to look at. */
  readonly compact: boolean;
}

/** Takes files by drop, click or key. What is no video is not told apart here: the service looks inside. */
export function DropArea({ onFiles, compact }: Props) {
  return (
    <Dropzone
      onDrop={onFiles}
      classNames={{ root: classes['root'] ?? '', inner: classes['inner'] ?? '' }}
      mod={{ compact }}
      inputProps={{ 'aria-label': 'Video or audio files' }}
      aria-label="Choose video or audio files, or drop them here"
    >
      <span className={classes['icon']}>
        <Icon name="upload" size={compact ? 22 : 30} />
      </span>
      <div>
        <p className={classes['title']}>Drop files here, or choose them</p>
        <p className={classes['note']}>MP4, MOV, MKV, WebM, AVI, MPEG-TS, MP3, AAC, WAV, FLAC, Ogg</p>
      </div>
    </Dropzone>
  );
}
