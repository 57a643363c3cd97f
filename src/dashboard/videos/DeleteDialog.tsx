import { useApolloClient, useMutation } from '@apollo/client/react';
import { DeleteVideoDocument, type VideoRowFragment } from '../generated/graphql.js';
import { announce } from '../parts/Announcer.js';
import { ConfirmDialog } from '../parts/ConfirmDialog.js';
import { isMoving } from './words.js';

interface Props {
  readonly video: VideoRowFragment;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

export function DeleteDialog({ video, opened, onClose, onDeleted }: Props) {
  const client = useApolloClient();
  const [deleteVideo] = useMutation(DeleteVideoDocument);

  async function confirm(): Promise<void> {
    await deleteVideo({ variables: { id: video.id } });
    announce('Deleted.');
    onDeleted();
    client.cache.evict({ id: client.cache.identify({ __typename: 'Video', id: video.id }) ?? '' });
  }

  return (
    <ConfirmDialog opened={opened} title="Delete this video?" verb="Delete" onClose={onClose} onConfirm={confirm}>
      “{video.title}” and everything made of it goes, at once and for good. Links to it stop playing.
      {isMoving(video) ? ' What was set aside for processing it is given back.' : ''}
    </ConfirmDialog>
  );
}
