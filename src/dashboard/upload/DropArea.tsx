import { words } from '#words/upload.js';
import '@mantine/dropzone/styles.layer.css';
import { Dropzone } from '@mantine/dropzone';
import { Icon } from '../parts/Icon.js';
import classes from './DropArea.module.css';

interface Props {
  readonly onFiles: (files: readonly File[]) => void;
  /** Smaller, once the page has other content. */
  readonly compact: boolean;
}

/** Accepts files by drop, click or key. It does not check whether they are videos: the service looks inside. */
export function DropArea({ onFiles, compact }: Props) {
  return (
    <Dropzone
      onDrop={onFiles}
      classNames={{ root: classes['root'] ?? '', inner: classes['inner'] ?? '' }}
      mod={{ compact }}
      inputProps={{ 'aria-label': words.dropArea.videoAudioFiles }}
      aria-label={words.dropArea.chooseVideoAudioFiles}
    >
      <span className={classes['icon']}>
        <Icon name="upload" size={compact ? 22 : 30} />
      </span>
      <div>
        <p className={classes['title']}>{words.dropArea.dropFilesHereChoose}</p>
        <p className={classes['note']}>{words.dropArea.mp4MovMkv}</p>
      </div>
    </Dropzone>
  );
}
