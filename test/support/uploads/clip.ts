import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

import type { Client } from '../graphql/client.js';
import type { ServiceProcess } from '../service.js';

const CREATE = `mutation ($input: CreateVideoInput!) { createVideo(input: $input) { video { id } upload { url } } }`;

/** A new video of a signed-in owner, and the address of its upload. */
export async function createVideo(
  client: Client,
  input: Record<string, unknown>,
): Promise<{ id: string; uploadUrl: string }> {
  const { createVideo: created } = await client.data(CREATE, { input });
  return { id: created.video.id as string, uploadUrl: new URL(created.upload.url as string, client.url).href };
}

/**
 * Sends a file, or as much of it as there is in `content`, in one request.
 *
 * @param origin of the service's public address
 */
export async function sendFile(
  client: Client,
  uploadUrl: string,
  content: Buffer | Blob,
  origin = client.url,
): Promise<void> {
  const response = await fetch(uploadUrl, {
    method: 'PATCH',
    headers: {
      cookie: client.cookie,
      origin,
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    },
    body: content instanceof Blob ? content : new Uint8Array(content),
  });
  if (response.status !== 204) throw new Error(`upload: ${response.status} ${await response.text()}`);
}

/** Uploads a file, and waits until it is processed. @returns the video's id */
export async function makeVideo(service: ServiceProcess, owner: Client, path: string): Promise<string> {
  const content = await readFile(path);
  const input = { filename: basename(path), sizeBytes: content.length, quality: 'P480', autoProcess: true };
  const { id, uploadUrl } = await createVideo(owner, input);
  await sendFile(owner, uploadUrl, content);
  await service.until(async () => {
    const { video } = await owner.data('query ($id: ID!) { video(id: $id) { status } }', { id });
    return video.status === 'READY';
  }, 'the video is ready');
  return id;
}
