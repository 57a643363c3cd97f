export const words = {
  title: 'View as owner',
  viewing: (email: string) => `Viewing ${email}`,
  note: 'Read-only',
  left: (minutes: number) => `${minutes} min left`,
  end: 'End view',
  notEnded: 'The view could not be ended',
  over: 'Your view has ended',
  overNote: (email: string) => `You viewed ${email} as its owner. Views end after 30 minutes.`,
  back: 'Back to support',
};
