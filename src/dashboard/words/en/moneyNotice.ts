/** What is owed or about to run out: on the home page, loaded when there is something to say. */
export const words = {
  payInWallet: 'Pay it in the wallet',
  addCredits: 'Add credits',
  newJobsStartOnce: 'New jobs start once it is paid. Incoming credits pay it first.',
  oweCredits: (toCredits: string) => `You owe ${toCredits} credits`,
  unpaidStorageBecomesDebt: 'Unpaid storage becomes debt. Your videos are not removed.',
  belowAlertThreshold: (warnBelow: string) => `That is below your alert threshold of ${warnBelow}.`,
  creditsLeft: (left: string) => `${left} credits left`,
};
