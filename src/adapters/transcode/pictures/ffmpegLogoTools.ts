import type { Brand, BrandLogo, BrandStill, LogoTools } from '../../../ports/brand.js';
import { drawBrand, normaliseLogo } from './logo.js';
import { SmallFfmpeg, type SmallFfmpegOptions } from '../sandbox/smallFfmpeg.js';

/** Logo tools based on ffmpeg, in the same sandbox as for videos. */
export class FfmpegLogoTools implements LogoTools {
  private readonly ffmpeg: SmallFfmpeg;

  constructor(options: SmallFfmpegOptions) {
    this.ffmpeg = new SmallFfmpeg(options);
  }

  normaliseLogo(bytes: Uint8Array): Promise<BrandLogo> {
    return this.ffmpeg.inFolder((folder) => normaliseLogo(bytes, folder, (...run) => this.ffmpeg.run(...run)));
  }

  drawBrand(brand: Brand, still: BrandStill | null): Promise<Uint8Array> {
    return this.ffmpeg.inFolder((folder) => drawBrand(brand, still, folder, (...run) => this.ffmpeg.run(...run)));
  }
}
