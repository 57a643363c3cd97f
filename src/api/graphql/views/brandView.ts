import type { CurrentBrand } from '../../../domain/media/branding/brand.service.js';
import type { Brand } from '../types/brand.js';

export function brandView({ sha256, ...brand }: CurrentBrand): Brand {
  return { ...brand, logoUrl: `/branding/logo/${sha256}.png` };
}
