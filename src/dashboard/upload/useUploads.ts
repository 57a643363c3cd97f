import type { ApolloClient } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useSyncExternalStore } from 'react';
import { useViewer } from '../session/viewer.js';
import { CreateVideoDocument, DeleteVideoDocument } from '../generated/graphql.js';
import { UploadQueue } from './UploadQueue.js';
import type { UploadItem } from './types.js';

/** One queue for the whole dashboard: uploads continue on every page. */
let current: { readonly accountId: string; readonly queue: UploadQueue } | undefined;

function queueOf(accountId: string, client: ApolloClient): UploadQueue {
  if (current?.accountId !== accountId) current = { accountId, queue: createQueue(accountId, client) };
  return current.queue;
}

function createQueue(accountId: string, client: ApolloClient): UploadQueue {
  return new UploadQueue(accountId, {
    async create(file, wishes) {
      const { data } = await client.mutate({
        mutation: CreateVideoDocument,
        variables: { input: { ...wishes, filename: file.name, sizeBytes: file.size } },
      });
      if (!data) throw new Error('the service answered without data');
      const { video, upload } = data.createVideo;
      return { videoId: video.id, url: upload.url };
    },
    discard: (videoId) => client.mutate({ mutation: DeleteVideoDocument, variables: { id: videoId } }),
  });
}

export function useUploads(): { readonly queue: UploadQueue; readonly items: readonly UploadItem[] } {
  const client = useApolloClient();
  const queue = queueOf(useViewer().account.id, client);
  return { queue, items: useSyncExternalStore(queue.subscribe, queue.snapshot) };
}
