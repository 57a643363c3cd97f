import { LogoToolsBusyError, type Brand, type BrandLogo, type BrandStill, type LogoTools } from '../../ports/brand.js';
import { drawBrand, normaliseLogo } from './logo.js';
import { SmallFfmpeg, type SmallFfmpegOptions } from './smallFfmpeg.js';

/** Who comes after them would wait longer than for asking again. */
const MAX_ASKING = 22;

/** Logo tools over ffmpeg, in the sandbox that films get. */
export class FfmpegLogoTools implements LogoTools {
  private readonly ffmpeg: SmallFfmpeg;
  private asking = 0;

  constructor(options: SmallFfmpegOptions) {
    this.ffmpeg = new SmallFfmpeg(options);
  }

  normaliseLogo(bytes: Uint8Array): Promise<BrandLogo> {
    return this.draw((folder) => normaliseLogo(bytes, folder, (...run) => this.ffmpeg.run(...run)));
  }

  drawBrand(brand: Brand, still: BrandStill | null): Promise<Uint8Array> {
    return this.draw((folder) => drawBrand(brand, still, folder, (...run) => this.ffmpeg.run(...run)));
  }

  private async draw<T>(use: (folder: string) => Promise<T>): Promise<T> {
    if (this.asking >= MAX_ASKING) throw new LogoToolsBusyError('too many logos at once');
    this.asking += 1;
    try {
      return await this.ffmpeg.inFolder(use);
    } finally {
      this.asking -= 1;
    }
  }
}
