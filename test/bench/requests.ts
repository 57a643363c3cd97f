import { videoIdOf } from '../../src/domain/shared/ids.js';
import type { SeededAccount } from './seed.js';

/** Whole requests for the load driver. */
export function get(path: string, key?: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: bench\r\n${key ? `x-service-key: ${key}\r\n` : ''}\r\n`;
}

/** A token for the account's newest video. */
export function mintRequest(account: SeededAccount): string {
  const path = `/v1/video/${videoIdOf(account.videoIds[0] ?? '')}/playback-token`;
  return `POST ${path} HTTP/1.1\r\nHost: bench\r\nx-service-key: ${account.key}\r\nContent-Length: 0\r\n\r\n`;
}

/** Exchanges of a token for each of the account's videos. Tokens are valid for five minutes, longer than a scenario. */
export async function manifestRequests(port: number, account: SeededAccount): Promise<string[]> {
  return Promise.all(
    account.videoIds.map(async (videoId) => {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/video/${videoIdOf(videoId)}/playback-token`, {
        method: 'POST',
        headers: { 'x-service-key': account.key },
      });
      const { data } = (await answer.json()) as { data: { token: string } };
      return get(`/v1/video/playback/manifest/${data.token}`);
    }),
  );
}
