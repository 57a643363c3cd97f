import type { UploadRef } from '../../ports/uploadStaging.js';

/**
 * The tus server identifies an upload by one string. Ours includes the account, so that no bug there can reach another
 * account's file. It is also the file's name in the staging folder, and never leaves the server.
 */
export function uploadKey(ref: UploadRef): string {
  return `${ref.accountId}.${ref.uploadId}`;
}

export function parseUploadKey(key: string): UploadRef {
  const [accountId, uploadId] = key.split('.');
  if (accountId === undefined || uploadId === undefined) throw new TypeError('not an upload key');
  return { accountId, uploadId };
}
