/** A separate process that encodes until it is killed; prints a line once it has begun. */
import { createFfmpegTranscoder } from '../../../src/adapters/transcode/ffmpegTranscoder.js';
import { renditionsFor } from '../../../src/domain/media/pipeline/ladder.js';

const [sourcePath = '', outputDir = '', useBwrap = ''] = process.argv.slice(2);
const transcoder = await createFfmpegTranscoder({
  preset: 'veryslow',
  useBwrap: useBwrap === 'true',
});
const probe = await transcoder.probe(sourcePath);
await transcoder.encode({
  sourcePath,
  probe,
  renditions: renditionsFor('720p', probe),
  outputDir,
  onProgress: () => process.stdout.write('begun\n'),
});
