import { access } from 'node:fs/promises';

import { AppError } from '../errors.js';
import type { Transcoder } from '../ports/transcoder.js';

interface Reading {
  readonly sourcePath: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A transcoder whose verdicts count only while its source file exists.
 *
 * If a worker was suspended for hours, the file that the store lent it may be gone. To ffmpeg this looks like any
 * unreadable video: the video would be refused for good, or made without what could not be read.
 *
 * @throws SERVICE_UNAVAILABLE instead, so that the job is retried
 */
export function withWholeSource(transcoder: Transcoder): Transcoder {
  const methods: Pick<Transcoder, 'probe' | 'encode' | 'canCut' | 'encodeChunk' | 'scanPackets' | 'subtitles'> = {
    probe: (sourcePath, options = {}) =>
      whileThere({ sourcePath, ...options }, () => transcoder.probe(sourcePath, options)),
    encode: (request) => whileThere(request, () => transcoder.encode(request)),
    canCut: (request) => whileThere(request, () => transcoder.canCut(request)),
    encodeChunk: (request) => whileThere(request, () => transcoder.encodeChunk(request)),
    scanPackets: (request) => whileThere(request, () => transcoder.scanPackets(request)),
    subtitles: (request) => whileThere(request, () => transcoder.subtitles(request)),
  };
  return Object.assign(Object.create(transcoder) as Transcoder, methods);
}

async function whileThere<Answer>({ sourcePath, signal }: Reading, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    const answer = await ask();
    await access(sourcePath);
    return answer;
  } catch (error) {
    const isThere = await access(sourcePath).then(
      () => true,
      () => false,
    );
    if (isThere || signal?.aborted === true) throw error;
    throw new AppError('SERVICE_UNAVAILABLE', 'The source was removed while it was being read.', { cause: error });
  }
}
