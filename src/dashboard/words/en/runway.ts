import { counted } from './counted.js';

/** How long storage is funded: on the home page, in the wallet, and in the support console. */
export const words = {
  nothingStoredYet: 'Nothing is stored yet',
  storageIsntFundedBeyond: 'Storage isn’t funded beyond today',
  storageFundedDaysAt: (days: number) => `Storage is funded for ${counted(days, 'more day', 'days')} at today’s usage`,
  storageFunded100Years: 'Storage is funded for 100+ years at today’s usage',
  storageFundedAboutYears: (years: number) => `Storage is funded for about ${counted(years, 'year')} at today’s usage`,
  days: (days: number) => counted(days, 'day'),
  years: (years: number) => counted(years, 'year'),
  n100Years: '100+ years',
};
