/** Parts of pages, and what is shown before or instead of them. */
export const words = {
  authFrame: {
    dhara: (title: string) => `${title} · Dhara`,
  },
  barChart: {
    bar: (label: string) => `${label}: bar`,
    numbersTableBelow: (label: string) => `${label}. The numbers are in the table below.`,
    together: 'Together',
  },
  batchCancel: {
    cancel: 'Cancel',
    close: 'Close',
    stop: 'Stop',
  },
  chartTable: {
    together: 'Together',
  },
  confirmDialog: {
    cancel: 'Cancel',
  },
  copyField: {
    copied: 'Copied',
    copy: 'Copy',
    copiedOf: (label: string) => `${label}: copied`,
    copyOf: (label: string) => `Copy: ${label}`,
  },
  pageHead: {
    dhara: (title: string) => `${title} · Dhara`,
  },
  panelButton: {
    notLoaded: (label: string) => `“${label}” could not be opened`,
    advice: 'Check your network and try again. If it still fails, reload the page to get the latest version.',
  },
  states: {
    tryAgain: 'Try again',
    loading: 'Loading',
  },
  toasts: {
    notices: 'Notices',
    close: (title: string) => `Close: ${title}`,
  },
  windowedList: {
    tryAgain: 'Try again',
    loadingMore: 'Loading more',
  },
  crashScreen: {
    pageCrashed: 'This page crashed',
    reloadGetLatestVersion: 'Reload to get the latest version. Running uploads resume where they stopped.',
    reload: 'Reload',
  },
  notFoundPage: {
    pageNotFound: 'Page not found',
    addressMayWrongPage: 'The address may be wrong, or the page has moved.',
    goVideos: 'Go to videos',
  },
  publicFrame: {
    skipContent: 'Skip to the content',
    dharaSign: 'Dhara: sign in',
    sign: 'Sign in',
  },
  theme: {
    close: 'Close',
    showPassword: 'Show the password',
  },
};
