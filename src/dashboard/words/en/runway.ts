import { counted } from './counted.js';

/** How long storage is funded: on the home page, in the wallet, and in the support console. */
export const words = {
  nothingStoredYet: 'Nothing is stored yet',
  storageIsntFundedBeyond: 'Storage isn’t funded beyond today',
  storageFundedFor: (time: string) => `Storage is funded for ${time} at today’s usage`,
  days: (days: number) => counted(days, 'day'),
  years: (years: number) => counted(years, 'year'),
  n100Years: '100+ years',
};
